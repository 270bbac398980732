/** Turns groups of events into entries, with the records that they are about as they are now. */
import type { ResultEntry } from "../../events/read-message-schema.ts";
import type { ReadDefinition } from "../../read/definition/read-definition.ts";
import type { EventGroup, InboxEvent } from "./group-events.ts";
import { readChangedRecords, readForeignRecords, type RecordReader } from "./read-changed-records.ts";
import { subscribeEntryText, type RecordAtEnd } from "./subscribe-entry.ts";
import type { SubscribeDefinition } from "../definition/subscribe-definition.ts";
import type { SubscribingConnector } from "../definition/subscription-target.ts";

export interface GroupContext {
  connector: SubscribingConnector;
  definition: SubscribeDefinition;
  /** Every object that the manifest reads. */
  reads: ReadDefinition[];
}

type Records = ReadonlyMap<string, Partial<ResultEntry>>;

export interface GroupRecords {
  own: Records;
  /** Records at the other ends of associations, by the key of their object. */
  others: ReadonlyMap<string, Records>;
  /** Fingerprints of `own`, by record id. */
  fingerprints: ReadonlyMap<string, Buffer>;
  /** Fields that the object lacks, as `readChangedRecords` returns them. */
  missingFields: string[] | undefined;
}

/** Returns whether one of the groups needs its record to be read. */
export const needsRecords = ({ definition }: GroupContext, groups: readonly EventGroup[]): boolean =>
  groups.some(({ shown }) => isRead(shown, definition));

/** Reads the records of the groups. Throws `ProviderError`. */
export async function readGroupRecords(
  reader: RecordReader,
  context: GroupContext,
  groups: readonly EventGroup[],
): Promise<GroupRecords> {
  const { definition } = context;
  const ids = groups.filter(({ shown }) => isRead(shown, definition)).map(({ shown }) => shown.recordId);
  const own = definition.read && (await readChangedRecords(reader, definition.read, ids));
  return {
    own: own?.entries ?? new Map(),
    fingerprints: own?.fingerprints ?? new Map(),
    missingFields: own?.missingFields,
    others: definition.includeFullRecords ? await readOtherEnds(reader, context, groups) : new Map(),
  };
}

/** Returns an entry for each group, in their order. */
export const groupEntries = (
  context: GroupContext,
  groups: readonly EventGroup[],
  { own, others }: Pick<GroupRecords, "own" | "others">,
): string[] =>
  groups.map(({ shown, changedFields, operationId, possibleOperationId }) => {
    const record = shown.type === "delete" ? undefined : own.get(shown.recordId);
    return subscribeEntryText({
      id: shown.recordId,
      type: shown.type,
      providerEventType: shown.providerEventType,
      time: shown.time,
      fieldsUpdated: changedFields,
      record,
      ends: listEnds(context, shown, { own: record, others }),
      operationId,
      possibleOperationId,
      rawEvent: shown.raw,
    });
  });

/**
 * Deleted records cannot be read, but one that was found among deleted ones may have been restored meanwhile; of an association
 * the ids are enough, unless all is wanted.
 */
const isRead = (
  { type, isFound }: Pick<InboxEvent, "type" | "isFound">,
  { read, includeFullRecords }: Pick<SubscribeDefinition, "read" | "includeFullRecords">,
): boolean =>
  type === "associationUpdate"
    ? includeFullRecords
    : read !== undefined && (type !== "delete" || isFound === true);

async function readOtherEnds(
  reader: RecordReader,
  context: GroupContext,
  groups: readonly EventGroup[],
): Promise<Map<string, Records>> {
  const ends = groups.flatMap(({ shown: { to } }) => to ?? []);
  const found = new Map<string, Records>();
  for (const [objectKey, some] of Map.groupBy(ends, (end) => end.objectKey)) {
    const definition = findRead(context, objectKey);
    const ids = some.map(({ id }) => id);
    const objectName = some[0]?.objectName ?? objectKey;
    found.set(
      objectKey,
      definition
        ? (await readChangedRecords(reader, definition, ids)).entries
        : await readForeignRecords(reader, objectName, ids),
    );
  }
  return found;
}

const findRead = ({ connector, reads }: GroupContext, objectKey: string): ReadDefinition | undefined =>
  reads.find(({ objectName }) => connector.subscribe.objectKey(objectName) === objectKey);

function listEnds(
  context: GroupContext,
  { type, recordId, to }: InboxEvent,
  records: { own: Partial<ResultEntry> | undefined; others: GroupRecords["others"] },
): { from: RecordAtEnd; to: RecordAtEnd } | undefined {
  if (type !== "associationUpdate" || !to) return undefined;
  const { definition } = context;
  const other = findRead(context, to.objectKey);
  const record = records.others.get(to.objectKey)?.get(to.id);
  return {
    from: { id: recordId, ...nameObjects(definition.objectName, definition.read), record: records.own },
    to: { id: to.id, ...nameObjects(other?.objectName ?? to.objectName, other), record },
  };
}

const nameObjects = (
  rawObjectName: string,
  definition: ReadDefinition | undefined,
): Pick<RecordAtEnd, "objectName" | "rawObjectName"> => ({
  objectName: definition?.messageName ?? rawObjectName,
  rawObjectName,
});
