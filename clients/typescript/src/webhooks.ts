/** Messages that Busbar sends to a destination: signed as Standard Webhooks say. */
import { Webhook } from "standardwebhooks";
import type { Webhooks } from "./api/types.gen.js";

/** The body of any message: of reads, subscriptions, schema changes and notifications. */
export type Message = Webhooks extends infer Each
  ? Each extends { body: infer Body }
    ? Body
    : never
  : never;

/**
 * Returns the message of a request to a destination's address. Throws if the signature is not the destination's, or was made more than
 * five minutes ago. `body` is the body as it came, not parsed; `secret` is the destination's, `whsec_…`.
 */
export function readMessage(
  body: string | Uint8Array,
  headers: Headers | Record<string, string | string[] | undefined>,
  secret: string,
): Message {
  const entries = headers instanceof Headers ? [...headers] : Object.entries(headers);
  const plain = Object.fromEntries(
    entries.flatMap(([name, value]) => (typeof value === "string" ? [[name.toLowerCase(), value]] : [])),
  );
  const text = typeof body === "string" ? body : new TextDecoder().decode(body);
  return new Webhook(secret).verify(text, plain) as Message;
}
