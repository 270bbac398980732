/** The providers whose customers use the components: two CRMs of the sandbox, two that are described. */
import type { Intercept } from "../../../simulations/vendor/start-vendor.ts";

/** What a customer of each provider reads; the credentials that they type, and wrong ones. */
export const PROVIDERS = {
  hubspot: { name: "HubSpot", object: "contacts", field: "email", extra: "city", notes: "jobtitle" },
  salesforce: { name: "Salesforce", object: "Contact", field: "Email", extra: "MailingCity", notes: "Title" },
  stripe: {
    name: "Stripe",
    object: "customers",
    field: "email",
    extra: "phone",
    notes: "description",
    typed: { "API key": "good" },
  },
  freshdesk: {
    name: "Freshdesk",
    object: "contacts",
    field: "email",
    extra: "phone",
    notes: "job_title",
    typed: { "API key": "good", Domain: "acme" },
  },
} as const;
export type Provider = keyof typeof PROVIDERS;
export const TYPED = ["stripe", "freshdesk"] as const;

export const MANIFEST = `specVersion: 1.0.0
integrations:${Object.entries(PROVIDERS)
  .map(
    ([provider, { object, field, name, extra }]) => `
  - name: ${provider}-people
    displayName: People in ${name}
    provider: ${provider}
    read:
      objects:
        - objectName: ${object}
          mapToDisplayName: People
          destination: hook
          schedule: "*/30 * * * *"
          backfill: { defaultPeriod: { fullHistory: true } }
          requiredFields:
            - fieldName: ${field}
            - mapToName: notes
              mapToDisplayName: Notes
              prompt: Which field holds notes?
          optionalFields:
            - fieldName: ${extra}
    write:
      objects:
        - objectName: ${object}
          inheritMapping: true`,
  )
  .join("")}
`;

/** The accounts at providers whose customers type a key. */
export const accounts = { stripe: { key: "good" }, freshdesk: { key: "good" } };

/** Refuses, as these providers do, every request without the account's key. */
export const admit =
  (provider: (typeof TYPED)[number]): Intercept =>
  ({ rawHeaders }, carryOut) => {
    const given =
      rawHeaders[rawHeaders.findIndex((each) => each.toLowerCase() === "authorization") + 1] ?? "";
    const [scheme, value = ""] = given.split(" ");
    const key = scheme === "Basic" ? Buffer.from(value, "base64").toString().split(":")[0] : value;
    if (key === accounts[provider].key) return carryOut();
    return {
      status: 401,
      headers: {},
      body: { code: "invalid_credentials", message: "You have to be logged in" },
    };
  };
