/** Checks HubSpot's signature of a pushed request, version 3 only: older ones have no time and can be repeated for ever. */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { PushedRequest } from "../../connector-kit/subscribe-connector.ts";

const SIGNATURE = "x-hubspot-signature-v3";
const TIME = "x-hubspot-request-timestamp";
/** HubSpot asks to refuse older requests; a clock that is behind must not make them valid for longer. */
const LONGEST_AGE_MS = 5 * 60_000;
/** An HMAC-SHA256 in base64. */
const SIGNATURE_FORM = /^[A-Za-z0-9+/]{43}=$/;

export function findFault({ headers }: Pick<PushedRequest, "headers">, nowMs: number): string | undefined {
  const signature = headers[SIGNATURE];
  const time = headers[TIME];
  if (typeof signature !== "string" || typeof time !== "string") {
    return "It has no signature of version 3 (`X-HubSpot-Signature-v3` and `X-HubSpot-Request-Timestamp`).";
  }
  if (!SIGNATURE_FORM.test(signature)) return "`X-HubSpot-Signature-v3` is not a signature.";
  if (!/^\d{1,16}$/.test(time) || Math.abs(nowMs - Number(time)) > LONGEST_AGE_MS) {
    return "`X-HubSpot-Request-Timestamp` is more than five minutes away from the present.";
  }
  return undefined;
}

export function isSigned({ method, uri, headers, body }: PushedRequest, secrets: readonly string[]): boolean {
  const given = Buffer.from(String(headers[SIGNATURE]), "base64");
  const start = `${method}${decodeUri(uri)}`;
  let isFound = false;
  for (const secret of secrets) {
    const expected = createHmac("sha256", secret)
      .update(start)
      .update(body)
      .update(String(headers[TIME]))
      .digest();
    if (expected.length === given.length && timingSafeEqual(expected, given)) isFound = true;
  }
  return isFound;
}

/** HubSpot decodes exactly these escapes before it signs. */
const ESCAPES = /%(?:3A|2F|3F|40|21|24|27|28|29|2A|2C|3B)/gi;

const decodeUri = (uri: string): string => uri.replaceAll(ESCAPES, (escape) => decodeURIComponent(escape));
