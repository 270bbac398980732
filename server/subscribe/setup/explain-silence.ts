/** Says of a subscription to pushed changes that none has come yet: whether it works is not known before. */
import type { SubscriptionRow } from "../../store/subscriptions/subscriptions.ts";

/**
 * Returns what is waited for and since when; undefined if an event has come, or if the source itself tells whether it works. A wrong
 * registration at the provider and an account in which nothing changes look the same from here.
 */
export function explainSilence({
  objectName,
  source,
  state,
  stateTime,
  lastEventTime,
}: SubscriptionRow): string | undefined {
  if (source !== "webhook" || state !== "active" || lastEventTime) return undefined;
  return (
    `No event of \`${objectName}\` has been pushed since ${stateTime.toISOString()}, so it is not known whether pushes arrive: nothing has ` +
    "changed in the account, or what is registered at the provider differs from `subscribe-setup`."
  );
}
