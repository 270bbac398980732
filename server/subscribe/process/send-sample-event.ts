/** Sends an event that never happened to the destination of a subscription, marked as a test. */
import type { SubscribeEventType } from "../../../connector-kit/subscribe-connector.ts";
import type { ResultEntry } from "../../events/read-message-schema.ts";
import { now } from "../../../ground/clock.ts";
import { callProvider, type CallServices } from "../../operations/call-provider.ts";
import type { MetadataMemory } from "../../operations/metadata-memory.ts";
import { openReadPaces } from "../../read/records/paced-fetch.ts";
import type { ReadDefinition } from "../../read/definition/read-definition.ts";
import type { MessageDestination } from "../../read/definition/read-target.ts";
import { readSet } from "../../read/definition/read-set.ts";
import { shapeRecords } from "../../read/records/shape-record.ts";
import { insertEvents } from "../../store/deliveries/events.ts";
import type { EventGroup } from "./group-events.ts";
import { groupEntries, needsRecords, readGroupRecords, type GroupContext } from "./shape-groups.ts";
import { subscribeMessages } from "./subscribe-message.ts";
import type { SubscribeDefinition } from "../definition/subscribe-definition.ts";
import type { SubscriptionTarget } from "../definition/subscription-target.ts";

interface SampleEvent {
  target: SubscriptionTarget & { definition: SubscribeDefinition; destination: MessageDestination };
  type: SubscribeEventType;
  /** A record to read; undefined: the message has a record without values. */
  recordId: string | undefined;
  workspace: string | undefined;
}

const NO_RECORD = "test";

/** Throws `ProviderError` when the record cannot be read. */
export async function sendSampleEvent(
  deps: CallServices & { metadata: MetadataMemory },
  { target, type, recordId, workspace }: SampleEvent,
): Promise<void> {
  const { definition, connector, destination, installed } = target;
  const { objectName } = definition;
  const { projectId, connectionId } = installed.installation;
  const group = sampleGroup(target, type, recordId ?? NO_RECORD);
  const records =
    recordId !== undefined && needsRecords(target, [group])
      ? await callProvider(deps, { projectId, connectionId }, ({ connection, fetch }) =>
          readGroupRecords({ ...deps, paces: openReadPaces(), connector, connection, fetch }, target, [
            group,
          ]),
        )
      : { own: buildEmptyRecords(target, type, recordId), others: new Map() };
  const entries = groupEntries(target, [group], records);
  const { messages } = subscribeMessages({ target, destination, objectName, workspace }, entries);
  await insertEvents(deps.database.data, messages);
}

function sampleGroup(
  { connector, definition }: GroupContext,
  type: SubscribeEventType,
  recordId: string,
): EventGroup {
  const { subscribe } = connector;
  const { providerEventType, raw } = subscribe.sampleEvent(definition.objectName, type, recordId);
  const objectKey = subscribe.objectKey(definition.objectName) ?? definition.objectName;
  const shown = {
    id: NO_RECORD,
    accountRef: "",
    objectKey,
    type,
    providerEventType,
    recordId,
    time: now(),
    dedupeKey: "",
    raw: JSON.stringify({ ...raw, test: true }),
    ...(type === "associationUpdate" && {
      to: { id: recordId, objectKey, objectName: definition.objectName },
    }),
  };
  return { shown, events: [shown], changedFields: [] };
}

function buildEmptyRecords(
  { connector, definition }: GroupContext,
  type: SubscribeEventType,
  recordId: string | undefined,
): Map<string, Partial<ResultEntry>> {
  if (recordId !== undefined || type === "delete" || !definition.read) return new Map();
  return new Map([[NO_RECORD, buildEmptyRecord(definition.read, connector.read)]]);
}

/** Every value is null. */
function buildEmptyRecord(
  definition: ReadDefinition,
  names: Parameters<typeof shapeRecords>[1],
): Pick<ResultEntry, "fields" | "mappedFields"> {
  const set = readSet(definition, undefined, names);
  const values = Object.fromEntries(set.fields.map((name) => [name, null]));
  const { fields, mappedFields } = shapeRecords(set, names).shape({ id: NO_RECORD, raw: {}, values });
  return { fields, mappedFields };
}
