/** GET /callbacks/v1/oauth: the callback URL of OAuth flows. */
import type { IncomingHttpHeaders } from "node:http";
import { Type, type Static } from "typebox";
import type { ProviderInfo } from "../../../connector-kit/provider-info.ts";
import { withAccountInfo } from "../../credentials/connect/account-info.ts";
import { buildCodeGrant } from "../../credentials/grants/authorization-code.ts";
import {
  readAccountFacts,
  listMetadataValues,
  requireAddress,
  withCallbackFields,
  type AccountFacts,
} from "../../credentials/stored/provider-metadata.ts";
import { openProviderAppSecret } from "../../credentials/stored/provider-app-secret.ts";
import type { StoredCredentials } from "../../credentials/stored/credential-envelope.ts";
import { openVerifier } from "../../credentials/grants/code-verifier.ts";
import { requestToken, type TokenAnswer } from "../../credentials/grants/token-endpoint.ts";
import { nowMs } from "../../../ground/clock.ts";
import { endpoint, type Page } from "../../http/endpoint.ts";
import type { ConnectionRow } from "../../store/connections/connections.ts";
import { takeConsent, type ShownConsent } from "../../store/connections/consents.ts";
import { findProviderApp, type ProviderAppRow } from "../../store/connections/provider-apps.ts";
import { saveConnection } from "../connections/save-connection.ts";
import { renderHtmlPage } from "../docs/render-html-page.ts";
import type { ConsentServices } from "./begin-consent.ts";
import { readBrowserHash } from "./browser-binding.ts";
import { ConsentFailed, explainConsentFailure, explainRefusedConsent } from "./consent-failure.ts";
import { fail, succeed } from "./consent-outcome.ts";
import { renderFailure } from "./consent-pages.ts";
import { hashSecret } from "../../../ground/ids.ts";

const Query = Type.Object({
  state: Type.Optional(Type.String({ description: "State of the OAuth flow that `oauthConnect` started." })),
  code: Type.Optional(Type.String({ description: "Authorization code of the provider." })),
  error: Type.Optional(
    Type.String({ description: "OAuth error code, if the provider returned no authorization code." }),
  ),
  error_description: Type.Optional(Type.String({ description: "The provider's description of the error." })),
});

export const oauthCallback = (deps: ConsentServices) =>
  endpoint({
    operationId: "oauthCallback",
    tag: "OAuth",
    summary: "OAuth callback",
    description:
      "Register this URL as redirect URL of your OAuth clients. The page stores the connection, then posts " +
      "one message to the window that opened it: `AUTHORIZATION_SUCCEEDED` with `data.connection`, or " +
      "`AUTHORIZATION_FAILED` with `data.error`.",
    query: Query,
    success: renderHtmlPage("The page after success."),
    otherPages: { 400: "The page after a failure." },
    async handle({ query, headers }) {
      const { control } = deps.database;
      const consent = query.state ? await takeConsent(control, hashSecret(query.state)) : undefined;
      if (!consent) return refuseUnknownState();
      try {
        return await succeed(deps, consent, (await finishConsent(deps, consent, query, headers)).id);
      } catch (error) {
        return fail(deps, consent, explainConsentFailure(error), headers);
      }
    },
  });

async function finishConsent(
  deps: ConsentServices,
  consent: ShownConsent,
  query: Static<typeof Query>,
  headers: IncomingHttpHeaders,
): Promise<ConnectionRow> {
  const own = readBrowserHash(consent.id, headers);
  if (!own || !consent.browserHash?.equals(own))
    throw new ConsentFailed("other-browser", "The callback came without the cookie of the consent.");
  if (consent.expireTime.getTime() <= nowMs())
    throw new ConsentFailed("late", "The callback came more than ten minutes after the customer left.");
  return connect(deps, consent, query);
}

const refuseUnknownState = (): Page =>
  renderFailure({
    message:
      "This sign-in has expired or was used already. Go back to the application that sent you here and connect again.",
  });

async function connect(
  deps: ConsentServices,
  consent: ShownConsent,
  query: Static<typeof Query>,
): Promise<ConnectionRow> {
  const { code, error, error_description } = query;
  if (error || !code) throw explainRefusedConsent(error, error_description);
  const provider = deps.catalog.of(consent.projectId).find(consent.provider);
  const app = await findProviderApp(deps.database.control, consent.projectId, consent.providerAppId ?? "");
  if (!provider || !app) throw new ConsentFailed("provider-app", "The provider or the provider app is gone.");
  const answer = await redeemCode(deps, provider, app, consent, code);
  const credentials = buildCredentials(provider, answer, app);
  const known = withCallbackFields(provider, query, consent.providerMetadata);
  const facts = readFacts(provider, answer, { ...consent, providerMetadata: known });
  const reported = await withAccountInfo(deps, provider, facts.providerMetadata, credentials);
  requireAddress(provider, reported.metadata, deps.egress.allowsPlainHttp);
  return saveConnection(deps, {
    projectId: consent.projectId,
    provider: consent.provider,
    providerAppId: app.id,
    connectionId: consent.connectionId ?? undefined,
    groupRef: consent.groupRef,
    groupName: consent.groupName ?? undefined,
    consumerRef: consent.consumerRef,
    consumerName: consent.consumerName ?? undefined,
    ...facts,
    providerWorkspaceRef: facts.providerWorkspaceRef ?? reported.workspaceRef,
    providerMetadata: reported.metadata,
    credentials,
  });
}

const buildCredentials = (
  provider: ProviderInfo,
  { accessToken, refreshToken, scopes }: TokenAnswer,
  app: ProviderAppRow,
): StoredCredentials => ({
  scheme:
    provider.oauth2Opts?.grantType === "authorizationCodePKCE"
      ? "oauth2/authorizationCodePKCE"
      : "oauth2/authorizationCode",
  accessToken,
  refreshToken,
  scopes: scopes ?? app.scopes,
});

function redeemCode(
  deps: ConsentServices,
  provider: ProviderInfo,
  app: ProviderAppRow,
  consent: ShownConsent,
  code: string,
): Promise<TokenAnswer> {
  return requestToken(deps.egress, {
    provider,
    urlOptions: {
      values: listMetadataValues(consent.providerMetadata),
      allowPlainHttp: deps.egress.allowsPlainHttp,
    },
    clientId: app.clientId,
    clientSecret: openProviderAppSecret(deps.sealer, app),
    grant: buildCodeGrant(provider, code, consent.redirectUri ?? "", openVerifier(deps.sealer, consent)),
  });
}

function readFacts(
  provider: ProviderInfo,
  answer: TokenAnswer,
  consent: Pick<ShownConsent, "providerMetadata" | "providerWorkspaceRef">,
): AccountFacts {
  const facts = readAccountFacts(provider, answer.fields, consent.providerMetadata);
  const entered = consent.providerWorkspaceRef;
  return entered && !facts.providerWorkspaceRef ? { ...facts, providerWorkspaceRef: entered } : facts;
}
