/** Removes a destination's secrets from recorded attempts: a receiver may echo what it was sent. */
import type { Channel, Outcome } from "../../../destination-kit/destination.ts";
import { withoutSecrets } from "../../../ground/without-secrets.ts";

/** Wraps a channel so that these secrets are replaced in the answers and errors of its outcomes. */
export function hidingSecrets(channel: Channel, secrets: Record<string, unknown>): Channel {
  const values = Object.values(secrets).filter((value) => typeof value === "string");
  if (values.length === 0) return channel;
  const hidden = (outcome: Outcome): Outcome => {
    const { answer, error } = outcome;
    return {
      ...outcome,
      ...(answer && { answer: withoutSecrets(answer, values) }),
      ...(error && { error: withoutSecrets(error, values) }),
    };
  };
  return {
    deliver: async (message) => hidden(await channel.deliver(message)),
    ...(channel.deliverAll && {
      deliverAll: async (messages) => ((await channel.deliverAll?.(messages)) ?? []).map(hidden),
    }),
    close: () => channel.close(),
  };
}
