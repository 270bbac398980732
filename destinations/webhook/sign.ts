/** Signs messages as Svix and Standard Webhooks libraries verify them. */
import { createHmac, createSecretKey, type KeyObject } from "node:crypto";

/** Prefix of a signing key's text form; the base64 of its bytes follows. */
const PREFIX = "whsec_";

/** Returns a function that signs a body. `keys` is called each time, so that an expired key stops signing. */
export function openSigner(keys: () => string[]) {
  const known = new Map<string, KeyObject>();
  const toKeyObject = (text: string): KeyObject => {
    const key = known.get(text) ?? createSecretKey(Buffer.from(text.slice(PREFIX.length), "base64"));
    known.set(text, key);
    return key;
  };
  return (id: string, timestamp: number, body: string | Buffer): Record<string, string> => {
    const signature = keys()
      .map((text) => {
        const hmac = createHmac("sha256", toKeyObject(text)).update(`${id}.${timestamp}.`).update(body);
        return `v1,${hmac.digest("base64")}`;
      })
      .join(" ");
    return buildSignatureHeaders(id, String(timestamp), signature);
  };
}

/** Returns the headers of a signature under the prefixes of both families of libraries. */
export const buildSignatureHeaders = (
  id: string,
  timestamp: string,
  signature: string,
): Record<string, string> => ({
  "svix-id": id,
  "svix-timestamp": timestamp,
  "svix-signature": signature,
  "webhook-id": id,
  "webhook-timestamp": timestamp,
  "webhook-signature": signature,
});
