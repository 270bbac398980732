/** Turns groups of events into entries, with the records that they are about as they are now. */
import type { SubscribeEventType } from "../../connector-kit/subscribe-connector.ts";
import type { ResultEntry } from "../events/read-message-schema.ts";
import type { ReadDefinition } from "../read/read-definition.ts";
import type { EventGroup, InboxEvent } from "./group-events.ts";
import { readChangedRecords, readForeignRecords, type RecordReader } from "./read-changed-records.ts";
import { subscribeEntryText, type RecordAtEnd } from "./subscribe-entry.ts";
import type { SubscribeDefinition } from "./subscribe-definition.ts";
import type { SubscribingConnector } from "./subscription-target.ts";

export interface GroupContext {
  connector: SubscribingConnector;
  definition: SubscribeDefinition;
  /** Everything that the installation reads. */
  reads: ReadDefinition[];
}

type Records = ReadonlyMap<string, Partial<ResultEntry>>;

export interface GroupRecords {
  own: Records;
  /** Records at the other ends of associations, by the key of their object. */
  others: ReadonlyMap<string, Records>;
}

/** Whether a record has to be read for one of the groups. */
export const needsRecords = ({ definition }: GroupContext, groups: readonly EventGroup[]): boolean =>
  groups.some(({ shown }) => isRead(shown.type, definition));

/** Reads the records of the groups. Throws `ProviderError`. */
export async function readGroupRecords(
  reader: RecordReader,
  context: GroupContext,
  groups: readonly EventGroup[],
): Promise<GroupRecords> {
  const { definition } = context;
  const own = groups.filter(({ shown }) => isRead(shown.type, definition)).map(({ shown }) => shown.recordId);
  return {
    own: definition.read ? await readChangedRecords(reader, definition.read, own) : new Map(),
    others: definition.includeFullRecords ? await readOtherEnds(reader, context, groups) : new Map(),
  };
}

/** Returns an entry for each group, in their order. Pure. */
export const groupEntries = (
  context: GroupContext,
  groups: readonly EventGroup[],
  { own, others }: GroupRecords,
): string[] =>
  groups.map(({ shown, changedFields }) => {
    const record = own.get(shown.recordId);
    return subscribeEntryText({
      id: shown.recordId,
      type: shown.type,
      providerEventType: shown.providerEventType,
      fieldsUpdated: changedFields,
      record,
      ends: endsOf(context, shown, { own: record, others }),
      rawEvent: shown.raw,
    });
  });

/** Deleted records cannot be read; of an association the ids are enough, unless all is wanted. */
const isRead = (
  type: SubscribeEventType,
  { read, includeFullRecords }: Pick<SubscribeDefinition, "read" | "includeFullRecords">,
): boolean => (type === "associationUpdate" ? includeFullRecords : type !== "delete" && read !== undefined);

async function readOtherEnds(
  reader: RecordReader,
  context: GroupContext,
  groups: readonly EventGroup[],
): Promise<Map<string, Records>> {
  const ends = groups.flatMap(({ shown: { to } }) => to ?? []);
  const found = new Map<string, Records>();
  for (const [objectKey, some] of Map.groupBy(ends, (end) => end.objectKey)) {
    const definition = readOf(context, objectKey);
    const ids = some.map(({ id }) => id);
    const objectName = some[0]?.objectName ?? objectKey;
    found.set(
      objectKey,
      definition
        ? await readChangedRecords(reader, definition, ids)
        : await readForeignRecords(reader, objectName, ids),
    );
  }
  return found;
}

const readOf = ({ connector, reads }: GroupContext, objectKey: string): ReadDefinition | undefined =>
  reads.find(({ objectName }) => connector.subscribe.objectKey(objectName) === objectKey);

function endsOf(
  context: GroupContext,
  { type, recordId, to }: InboxEvent,
  records: { own: Partial<ResultEntry> | undefined; others: GroupRecords["others"] },
): { from: RecordAtEnd; to: RecordAtEnd } | undefined {
  if (type !== "associationUpdate" || !to) return undefined;
  const { definition } = context;
  const other = readOf(context, to.objectKey);
  const record = records.others.get(to.objectKey)?.get(to.id);
  return {
    from: { id: recordId, ...namesOf(definition.objectName, definition.read), record: records.own },
    to: { id: to.id, ...namesOf(other?.objectName ?? to.objectName, other), record },
  };
}

const namesOf = (
  rawObjectName: string,
  definition: ReadDefinition | undefined,
): Pick<RecordAtEnd, "objectName" | "rawObjectName"> => ({
  objectName: definition?.messageName ?? rawObjectName,
  rawObjectName,
});
