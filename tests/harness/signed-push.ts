/** Signs a push as HubSpot does, with the vendor's own client. */
import { Signature } from "@hubspot/api-client";

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
