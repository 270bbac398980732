/** Proves that a message comes from the Busbar that knows the signing key: https://www.standardwebhooks.com. */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { nowMs } from "../clock.ts";

const TOLERANCE_SECONDS = 300;

/** Why the message is not to be trusted; undefined when it is. `body` is as it came, byte for byte. */
export function signatureFault(
  headers: IncomingHttpHeaders,
  body: Buffer,
  signingKey: string,
  atMs = nowMs(),
): string | undefined {
  const [id, timestamp, signatures] = ["id", "timestamp", "signature"].map((name) => {
    const value = headers[`webhook-${name}`];
    return typeof value === "string" ? value : undefined;
  });
  if (!id || !timestamp || !signatures) return "it carries no signature";
  const ageSeconds = atMs / 1_000 - Number(timestamp);
  if (!/^\d+$/.test(timestamp) || Math.abs(ageSeconds) > TOLERANCE_SECONDS) {
    return "its time is more than five minutes away from this machine's";
  }
  const key = Buffer.from(signingKey.replace(/^whsec_/, ""), "base64");
  const expected = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest();
  // There are several while a key is being replaced.
  const valid = signatures.split(" ").some((signature) => {
    if (!signature.startsWith("v1,")) return false;
    const given = Buffer.from(signature.slice(3), "base64");
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  return valid ? undefined : "its signature does not fit the signing key";
}
