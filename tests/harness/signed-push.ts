/** Signs a push as HubSpot does, with the vendor's own client. */
import { Signature } from "@hubspot/api-client";
import type { Client } from "./client.ts";

interface SignedPush {
  body: string;
  headers: Record<string, string>;
}

/** `url`: public address with query; `nowMs`: the time of the signature. */
export function signedPush(url: string, body: string, secret: string, nowMs = Date.now()): SignedPush {
  const signature = Signature.getSignature("POST", "v3", {
    clientSecret: secret,
    requestBody: body,
    url,
    timestamp: nowMs,
    signature: "",
  });
  return {
    body,
    headers: {
      "content-type": "application/json",
      "x-hubspot-signature-v3": signature,
      "x-hubspot-request-timestamp": String(nowMs),
    },
  };
}

/** Adds HubSpot's app to the project; its changes come as pushes that are signed with the secret. */
export const addPushedApp = ({ inProject }: Pick<Client, "inProject">, clientSecret: string) =>
  inProject("POST", "/provider-apps", {
    provider: "hubspot",
    clientId: "app",
    clientSecret,
    scopes: ["oauth", "crm.objects.contacts.read"],
    metadata: { providerParams: { subscribeSource: "webhook" } },
  });
