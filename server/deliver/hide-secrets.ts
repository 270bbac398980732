/** Removes a destination's secrets from recorded attempts: a receiver may echo what it was sent. */
import type { Channel } from "../../destination-kit/destination.ts";
import { withoutSecrets } from "../ground/without-secrets.ts";

/** Wraps a channel so that these secrets are replaced in the answers and errors of its outcomes. */
export function hidingSecrets(channel: Channel, secrets: Record<string, unknown>): Channel {
  const values = Object.values(secrets).filter((value) => typeof value === "string");
  if (values.length === 0) return channel;
  return {
    async deliver(message) {
      const outcome = await channel.deliver(message);
      const { answer, error } = outcome;
      return {
        ...outcome,
        ...(answer && { answer: withoutSecrets(answer, values) }),
        ...(error && { error: withoutSecrets(error, values) }),
      };
    },
    close: () => channel.close(),
  };
}
