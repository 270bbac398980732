/** Signs messages so that every Svix and every Standard Webhooks library verifies them. */
import { createHmac, createSecretKey, type KeyObject } from "node:crypto";

/** Text form of a signing key: this and the base64 of its bytes. */
const PREFIX = "whsec_";

/** Gives the headers that vouch for a body. `keys` is asked each time: an old key stops signing by itself. */
export function openSigner(keys: () => string[]) {
  const known = new Map<string, KeyObject>();
  const keyOf = (text: string): KeyObject => {
    const key = known.get(text) ?? createSecretKey(Buffer.from(text.slice(PREFIX.length), "base64"));
    known.set(text, key);
    return key;
  };
  return (id: string, timestamp: number, body: string): Record<string, string> => {
    const signature = keys()
      .map((text) => {
        const hmac = createHmac("sha256", keyOf(text)).update(`${id}.${timestamp}.`).update(body);
        return `v1,${hmac.digest("base64")}`;
      })
      .join(" ");
    const stamp = String(timestamp);
    return {
      "svix-id": id,
      "svix-timestamp": stamp,
      "svix-signature": signature,
      "webhook-id": id,
      "webhook-timestamp": stamp,
      "webhook-signature": signature,
    };
  };
}
