/** Sets a subscription up: checks what it needs, and asks the provider how its events name account and object. */
import { mustBeMended, ProviderError } from "../../connector-kit/provider-error.ts";
import { callProvider } from "../operations/call-provider.ts";
import { listProviderApps } from "../store/provider-apps.ts";
import { nowMs } from "../ground/clock.ts";
import {
  activateSubscription,
  changeSource,
  pollInstead,
  type ClaimedSubscription,
} from "../store/subscriptions.ts";
import { chooseSource, sourcesOf } from "./choose-source.ts";
import { planChanged, readWithout, type RecordReader } from "./read-changed-records.ts";
import { selectObject } from "./select-object.ts";
import type { SubscribeServices } from "./subscribe-services.ts";
import type { SubscriptionTarget } from "./subscription-target.ts";

/**
 * Returns whether events arrive from now on. Throws `ProviderError`: `invalid` for what a person must change, otherwise what
 * the provider answered.
 */
export async function setUpSubscription(
  deps: SubscribeServices & { publicUrl: () => string },
  subscription: ClaimedSubscription,
  target: SubscriptionTarget,
): Promise<boolean> {
  const { queries } = deps.database;
  const { id, projectId, connectionId, objectName, provider } = subscription;
  const { connector, definition } = target;
  const apps = (await listProviderApps(queries, projectId)).filter((app) => app.provider === provider);
  const { source, fault, isNamed } = chooseSource(apps, {
    ...sourcesOf(connector, deps.catalog.find(provider)),
    publicUrl: deps.publicUrl(),
    provider,
  });
  if (fault !== undefined) throw new ProviderError({ kind: "invalid", message: fault });
  if (source === "pubsub" && subscription.source !== source) {
    await changeSource(queries, { id, workerId: deps.workerId(), source });
    Object.assign(subscription, { source, state: "pending", walk: null, pollTime: null });
  }
  const names = await callProvider(deps, { projectId, connectionId }, async ({ connection, fetch }) => {
    const reader = { ...deps, connector, connection, fetch };
    const accountRef = subscription.accountRef ?? (await connector.subscribe.findAccountRef(fetch));
    const objectKey = subscription.objectKey ?? (await connector.subscribe.findObjectKey(objectName, fetch));
    if (definition?.read) await readSample(reader, definition.read);
    return { accountRef, objectKey };
  });
  let warnings: string[] = [];
  if (source === "pubsub" && connector.stream) {
    const { objectKey } = names;
    try {
      const selected = await selectObject(deps, subscription, { stream: connector.stream, objectKey });
      if (!selected.isOpen) return false;
      warnings = selected.warnings;
    } catch (error) {
      if (isNamed || !(error instanceof ProviderError) || !mustBeMended(error.kind)) throw error;
      const reason = `${error.message.replace(/\.$/, "")}. ${MEANWHILE}`;
      const sourceRetryTime = new Date(nowMs() + SOURCE_RETRY_MS);
      await pollInstead(queries, { id, workerId: deps.workerId(), ...names, reason, sourceRetryTime });
      Object.assign(subscription, names, { state: "active", source: "polling" });
      return true;
    }
  }
  await activateSubscription(queries, { id, workerId: deps.workerId(), ...names, warnings });
  Object.assign(subscription, names, { state: "active" });
  return true;
}

/** An allocation is counted over 24 hours, and what a person mends is noticed without being told. */
const SOURCE_RETRY_MS = 15 * 60_000;
const MEANWHILE =
  "Until then changes are found by reading, later than by the provider's stream, which is tried again every 15 minutes.";

/** Finds out whether records can be read: otherwise events could not be delivered later. */
async function readSample(
  reader: RecordReader,
  definition: NonNullable<NonNullable<SubscriptionTarget["definition"]>["read"]>,
): Promise<void> {
  const planned = await planChanged(reader, definition);
  await readWithout(reader, planned, (plan, fetch) => reader.connector.read.readSample(plan, fetch));
}
