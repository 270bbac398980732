/** Verifies the signature of a message by the Standard Webhooks specification: https://www.standardwebhooks.com. */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { nowMs } from "../clock.ts";

const TOLERANCE_SECONDS = 300;

/** Returns what is wrong with the signature, undefined if it is valid. `body` is the unchanged body. */
export function findSignatureFault(
  headers: IncomingHttpHeaders,
  body: Buffer,
  signingKey: string,
  atMs = nowMs(),
): string | undefined {
  const [id, timestamp, signatures] = ["id", "timestamp", "signature"].map((name) => {
    const value = headers[`webhook-${name}`];
    return typeof value === "string" ? value : undefined;
  });
  if (!id || !timestamp || !signatures) return "it has no signature";
  const ageSeconds = atMs / 1_000 - Number(timestamp);
  if (!/^\d+$/.test(timestamp) || Math.abs(ageSeconds) > TOLERANCE_SECONDS) {
    return "its timestamp differs by more than five minutes from this machine's clock";
  }
  const key = Buffer.from(signingKey.replace(/^whsec_/, ""), "base64");
  const expected = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest();
  // There are several signatures while a key is being rotated.
  const valid = signatures.split(" ").some((signature) => {
    if (!signature.startsWith("v1,")) return false;
    const given = Buffer.from(signature.slice(3), "base64");
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  return valid ? undefined : "its signature does not match the signing key";
}
