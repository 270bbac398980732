/** Sets a subscription up: checks what it needs, and asks the provider how its events name account and object. */
import { mustBeMended, ProviderError } from "../../../connector-kit/calls/provider-error.ts";
import type { AppCalls } from "../../calls/app-calls.ts";
import { nowMs } from "../../../ground/clock.ts";
import { callProvider } from "../../operations/call-provider.ts";
import { retryEventStream } from "../../store/subscriptions/event-streams.ts";
import { listProviderApps } from "../../store/connections/provider-apps.ts";
import {
  activateSubscription,
  changeSource,
  nameSubscription,
  setFallbackSource,
  type ClaimedSubscription,
} from "../../store/subscriptions/subscriptions.ts";
import { chooseSource, listSources, type ChosenSource } from "./choose-source.ts";
import { planChanged, readWithout, type RecordReader } from "../process/read-changed-records.ts";
import { selectInJournal } from "./select-in-journal.ts";
import { selectObject, type SelectedObject } from "./select-object.ts";
import type { SubscribeServices } from "../definition/subscribe-services.ts";
import type { SubscriptionTarget } from "../definition/subscription-target.ts";
import { endSentence } from "../../../ground/sentences.ts";

export type SetUpServices = SubscribeServices & { publicUrl: () => string; appCalls: AppCalls };

/**
 * Returns whether events arrive from now on. Throws `ProviderError`: `invalid` for what a person must change, otherwise what
 * the provider answered.
 */
export async function setUpSubscription(
  deps: SetUpServices,
  subscription: ClaimedSubscription,
  target: SubscriptionTarget,
): Promise<boolean> {
  const { data } = deps.database;
  const chosen = await choose(deps, subscription, target);
  const { source, fault, otherwise } = chosen;
  if (fault !== undefined) throw new ProviderError({ kind: "invalid", message: fault });
  const { claim } = subscription;
  if (otherwise && subscription.source !== source) {
    await changeSource(data, { ...claim, source });
    await retryEventStream(
      data,
      (source === "journal" && subscription.journalAppId) || subscription.connectionId,
    );
    Object.assign(subscription, { source, state: "pending", scan: null, pollTime: null });
  }
  const names = await findNames(deps, subscription, target);
  try {
    const { isOpen, warnings } = await select(deps, subscription, { target, source, ...names });
    if (!isOpen) return false;
    await activateSubscription(data, { ...claim, ...names, warnings });
    Object.assign(subscription, names, { state: "active" });
  } catch (error) {
    if (!otherwise || !(error instanceof ProviderError) || !mustBeMended(error.kind)) throw error;
    // Pushes are as good: nobody has to mend anything.
    const isSlower = otherwise.source === "polling";
    const reason = isSlower ? `${endSentence(error.message)} ${otherwise.reason ?? ""}`.trim() : null;
    const sourceRetryTime = isSlower ? new Date(nowMs() + SOURCE_RETRY_MS) : null;
    await setFallbackSource(data, { ...claim, ...names, source: otherwise.source, reason, sourceRetryTime });
    Object.assign(subscription, names, { state: "active", source: otherwise.source });
  }
  return true;
}

/** Often enough to notice what a person has mended, or that an allocation, which is counted over 24 hours, has capacity again. */
const SOURCE_RETRY_MS = 15 * 60_000;

async function choose(
  deps: SetUpServices,
  { projectId, provider }: ClaimedSubscription,
  { connector }: SubscriptionTarget,
): Promise<ChosenSource> {
  const apps = await listProviderApps(deps.database.data, projectId);
  return chooseSource(
    apps.filter((app) => app.provider === provider),
    { ...listSources(connector, deps.catalog.find(provider)), publicUrl: deps.publicUrl(), provider },
  );
}

interface Names {
  accountRef: string;
  objectKey: string;
}

/** Requests missing ids from the provider. Reads a sample, because events are delivered with the records read again. */
async function findNames(
  deps: SetUpServices,
  subscription: ClaimedSubscription,
  { connector, definition }: SubscriptionTarget,
): Promise<Names> {
  const { projectId, connectionId, objectName } = subscription;
  return callProvider(deps, { projectId, connectionId }, async ({ connection, fetch }) => {
    const reader = { ...deps, connector, connection, fetch };
    const accountRef = subscription.accountRef ?? (await connector.subscribe.findAccountRef(fetch));
    const objectKey = subscription.objectKey ?? (await connector.subscribe.findObjectKey(objectName, fetch));
    if (definition?.read) await readSample(reader, definition.read);
    return { accountRef, objectKey };
  });
}

/** Selects the object at the provider, if its source requires that. */
async function select(
  deps: SetUpServices,
  subscription: ClaimedSubscription,
  { target, source, ...names }: Names & { target: SubscriptionTarget; source: ChosenSource["source"] },
): Promise<SelectedObject> {
  const { stream, journal } = target.connector;
  if (source === "pubsub" && stream) {
    return selectObject(deps, subscription, { stream, objectKey: names.objectKey });
  }
  if (source !== "journal" || !journal) return { isOpen: true, warnings: [] };
  await nameSubscription(deps.database.data, { ...subscription.claim, ...names });
  const listFields = () => listAllFields(deps, subscription, target);
  return selectInJournal(deps, subscription, { journal, ...names, listFields });
}

async function listAllFields(
  deps: SetUpServices,
  { projectId, connectionId, objectName }: ClaimedSubscription,
  { connector: { fields } }: SubscriptionTarget,
): Promise<string[]> {
  if (!fields) return [];
  const described = await callProvider(deps, { projectId, connectionId }, ({ connection, fetch }) =>
    deps.metadata.get(connection, objectName, () => fields.describe(objectName, fetch, connection.account)),
  );
  return Object.keys(described.fields);
}

async function readSample(
  reader: RecordReader,
  definition: NonNullable<NonNullable<SubscriptionTarget["definition"]>["read"]>,
): Promise<void> {
  const planned = await planChanged(reader, definition);
  await readWithout(reader, planned, (plan, fetch) => reader.connector.read.readSample(plan, fetch));
}
