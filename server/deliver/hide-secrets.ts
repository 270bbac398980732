/** Keeps a destination's secrets out of what is told of attempts: a receiver may send back what it was sent. */
import type { Channel } from "../../destinations/kit/destination.ts";

/** A shorter text may stand in an answer for many other reasons. */
const LEAST_LENGTH = 8;

/** The channel, with these secrets replaced in the answers and errors of its outcomes. */
export function hidingSecrets(channel: Channel, secrets: Record<string, unknown>): Channel {
  const values = Object.values(secrets).filter(
    (value): value is string => typeof value === "string" && value.length >= LEAST_LENGTH,
  );
  if (values.length === 0) return channel;
  const hide = (text: string): string =>
    values.reduce((shown, value) => shown.replaceAll(value, "[secret]"), text);
  return {
    async deliver(message) {
      const outcome = await channel.deliver(message);
      const { answer, error } = outcome;
      return { ...outcome, ...(answer && { answer: hide(answer) }), ...(error && { error: hide(error) }) };
    },
    close: () => channel.close(),
  };
}
