/** Providers that take HTTP Basic: a user name and a password, or an API key in place of one of them. */
import { basic, keyAsBasic } from "../../connector-kit/provider/declare-provider.ts";
import { supports, type ProviderFacts } from "../../connector-kit/provider/define-provider.ts";

export const basicProviders: Record<string, ProviderFacts> = {
  // The API id and the API token.
  aircall: basic("Aircall", "https://api.aircall.io", {
    docs: "https://developer.aircall.io/api-references/#authentication",
    declares: ["read", "write"],
  }),
  amplitude: basic("Amplitude", "https://amplitude.com", { declares: ["read", "write"] }),
  ashby: keyAsBasic("Ashby", "https://api.ashbyhq.com", "%s:", { declares: ["read", "write"] }),
  aws: basic("Amazon Web Services", "https://identitystore.{{.region}}.amazonaws.com", {
    docs: "https://docs.aws.amazon.com/IAM/latest/UserGuide/id_credentials_access-keys.html",
    declares: ["read"],
    defaultModule: "aws-identity-center",
    awsSignature: { service: "identitystore", region: "{{.region}}" },
    // Needs no permission. A refusal because of Busbar's own clock says "Signature expired", with the same code.
    authHealthCheck: {
      url: "https://sts.{{.region}}.amazonaws.com/?Action=GetCallerIdentity&Version=2011-06-15",
      awsService: "sts",
      refusals: [
        { status: 403, text: "InvalidClientTokenId" },
        { status: 403, text: "The request signature we calculated does not match" },
      ],
    },
    inputs: [
      { name: "region", displayName: "Region", prompt: "The region, for example eu-central-1." },
      {
        name: "identityStoreId",
        displayName: "Identity Store ID",
        prompt: "The ID of the identity store; it begins with d-.",
      },
      {
        name: "instanceArn",
        displayName: "Instance ARN",
        prompt: "The ARN of the IAM Identity Center instance.",
      },
    ],
    modules: {
      "aws-identity-center": {
        displayName: "AWS Identity Center",
        baseURL: "https://identitystore.{{.region}}.amazonaws.com",
        support: supports("proxy"),
      },
    },
  }),
  blueshift: basic("Blueshift", "https://api.getblueshift.com/api", { declares: ["read", "write"] }),
  blueshiftEU: basic("Blueshift (EU)", "https://api.eu.getblueshift.com/api"),
  braintree: basic("Braintree", "https://payments.sandbox.braintree-api.com/graphql", {
    declares: ["read", "write"],
  }),
  chargeOver: basic("ChargeOver", "https://{{.workspace}}.chargeover.com", {
    declares: ["read", "write"],
    inputs: [
      {
        name: "workspace",
        displayName: "Domain name",
        prompt: "The first part of your ChargeOver address: acme in acme.chargeover.com.",
        docsURL: "https://developer.chargeover.com/docs/api-information/getting-started/",
      },
    ],
  }),
  chartMogul: keyAsBasic("ChartMogul", "https://api.chartmogul.com", "%s:"),
  chorus: basic("Chorus", "https://chorus.ai", {
    declares: ["read", "write"],
    fixedHeaders: [{ name: "Accept", valueTemplate: "application/vnd.api+json" }],
  }),
  cloudTalk: basic("CloudTalk", "https://my.cloudtalk.io/api", {
    docs: "https://developers.cloudtalk.io/reference/authentication",
    declares: ["read", "write"],
  }),
  connectWise: basic("ConnectWise", "https://{{.region}}.myconnectwise.net", {
    declares: ["read", "write", "subscribe"],
    subscribeRequirements: { subscribeByAPI: true },
    inputs: [
      {
        name: "region",
        displayName: "Region",
        prompt: "The first part of the address you sign in at: na in na.myconnectwise.net.",
        defaultValue: "na",
      },
      {
        name: "clientId",
        displayName: "Client ID",
        prompt: "The client ID that ConnectWise issued for this integration.",
        docsURL: "https://developer.connectwise.com/ClientID",
      },
    ],
    fixedHeaders: [{ name: "clientId", valueTemplate: "{{.clientId}}" }],
  }),
  customerDataPipelines: basic("Customer.io Data Pipelines", "https://cdp.customer.io/v1", {
    docs: "https://customer.io/docs/api/cdp/#section/Authentication",
  }),
  customerJourneysTrack: basic("Customer.io Journeys Track", "https://track.customer.io", {
    docs: "https://customer.io/docs/api/track/#section/Authentication",
  }),
  delighted: keyAsBasic("Delighted", "https://api.delighted.com", "%s:"),
  fastSpring: basic("FastSpring", "https://api.fastspring.com", {
    docs: "https://developer.fastspring.com/reference/getting-started-with-your-api",
    declares: ["read", "write"],
  }),
  freshservice: keyAsBasic("Freshservice", "https://{{.workspace}}.freshservice.com", "%s:X", {
    inputs: [
      {
        name: "workspace",
        displayName: "Domain",
        prompt: "The first part of your Freshservice address: acme in acme.freshservice.com.",
      },
    ],
  }),
  geckoboard: basic("Geckoboard", "https://api.geckoboard.com"),
  gladly: basic("Gladly", "https://{{.workspace}}.gladly.com/api", {
    inputs: [
      {
        name: "workspace",
        displayName: "Organization",
        prompt: "The first part of your Gladly address: acme in acme.gladly.com.",
      },
    ],
  }),
  gladlyQA: basic("GladlyQA", "https://{{.workspace}}.gladly.qa/api", {
    inputs: [
      {
        name: "workspace",
        displayName: "Organization",
        prompt: "The first part of your GladlyQA address: acme in acme.gladly.qa.",
      },
    ],
  }),
  greenhouseJobBoard: keyAsBasic("Greenhouse (Job board)", "https://boards-api.greenhouse.io", "%s:", {
    docs: "https://developers.greenhouse.io",
    inputs: [
      {
        name: "board_token",
        displayName: "Board Token",
        prompt: "The last part of your job board's address.",
        docsURL: "https://support.greenhouse.io/hc/en-us/articles/5888210160155-Find-your-job-board-URL",
      },
    ],
  }),
  guru: basic("Guru", "https://api.getguru.com"),
  kaseyaVSAX: basic("Kaseya VSAX", "https://{{.workspace}}", {
    inputs: [
      {
        name: "workspace",
        displayName: "Server Name",
        prompt: "The host of your VSA X server, for example acme.vsax.net.",
      },
    ],
    hostSuffixes: ["*"],
  }),
  mailgun: keyAsBasic("Mailgun", "https://api.mailgun.net", "api:%s", {
    docs: "https://documentation.mailgun.com/docs/mailgun/api-reference/authentication/",
  }),
  maxio: keyAsBasic("Maxio", "https://{{.workspace}}.chargify.com", "%s:x", {
    inputs: [
      {
        name: "workspace",
        displayName: "Site",
        prompt: "The first part of your Maxio address: acme in acme.chargify.com.",
      },
    ],
  }),
  mixpanel: basic("Mixpanel", "https://{{.workspace}}.mixpanel.com", {
    inputs: [
      {
        name: "workspace",
        displayName: "API Subdomain",
        prompt: "The API host of your project: api, or api-eu and the like for other residencies.",
      },
    ],
  }),
  nutshell: basic("Nutshell", "https://app.nutshell.com", { declares: ["read", "write"] }),
  outplay: basic("Outplay", "https://{{.workspace}}-api.outplayhq.com", {
    declares: ["read", "write"],
    inputs: [
      {
        name: "workspace",
        displayName: "Location",
        prompt: "The location of your account: us4 in us4-api.outplayhq.com.",
      },
    ],
  }),
  pipeliner: basic("Pipeliner", "https://{{.region}}.api.pipelinersales.com", {
    inputs: [
      {
        name: "workspace",
        displayName: "Space ID",
        prompt: "The ID of your space.",
        docsURL: "https://developers.pipelinersales.com/api-docs/overview/about-the-api#space-and-space-id",
      },
      {
        name: "region",
        displayName: "Space URL Region",
        prompt: "The region of your space, for example eu-central.",
        defaultValue: "eu-central",
        docsURL: "https://developers.pipelinersales.com/api-docs/overview/about-the-api#service-url",
      },
    ],
  }),
  vtiger: basic("Vtiger", "https://{{.workspace}}/restapi", {
    docs: "https://help.vtiger.com/faq/140159403-What-is-Access-Key",
    inputs: [
      {
        name: "workspace",
        displayName: "Full Domain",
        prompt: "The host of your Vtiger, for example acme.od2.vtiger.com.",
      },
    ],
    hostSuffixes: ["*"],
  }),
};
