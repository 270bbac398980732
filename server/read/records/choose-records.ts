/** Chooses which records of a page are delivered, and what is remembered of them. */
import { LAST_TIME } from "../../../connector-kit/calls/reported-time.ts";
import type { DeletedRecord, SourceRecord } from "../../../connector-kit/read-connector.ts";
import type { SeenRecord } from "../../../ground/pack-seen.ts";
import { startTimeSlices, type TimeSlices } from "../../../ground/time-slices.ts";
import { listOwnKeys, findPossibleWrite, writeOfRecord } from "../../operations/own-changes.ts";
import type { Database } from "../../store/database/database.ts";
import { listOwnWrites, type OwnWrite } from "../../store/operations/own-writes.ts";
import { listFingerprints, type Fingerprint, type KnownFingerprint } from "../../store/reads/read-pages.ts";
import { writeContent, writeEntry } from "./entry-text.ts";
import { computeLongestOverlapMs, type ReadScan } from "./read-scan.ts";
import { recordFingerprint } from "./record-fingerprint.ts";
import { shapeDeletion } from "./shape-record.ts";

export interface Chosen {
  /** JSON texts. */
  entries: string[];
  /** The records of the entries, in their order. */
  kept: SeenRecord[];
  leftOut: SeenRecord[];
  fingerprints: Fingerprint[];
  forgotten: string[];
}

/**
 * Returns what is delivered: of a triggered read all records, of other reads those that changed since they were delivered. If
 * the deletion of such a record was delivered before, the record was restored, or a search index still has it. The deletion
 * is forgotten, so that it is delivered again if the next read finds it again.
 */
export async function chooseRecords(
  deps: { database: Database },
  scan: ReadScan,
  page: RecordPage,
): Promise<Chosen> {
  // A page has up to thousands of records, and has just been parsed.
  const slices = startTimeSlices();
  await slices.next();
  return scan.run.kind === "triggered"
    ? chooseAll(deps, scan, page, slices)
    : chooseChanged(deps, scan, page, slices);
}

interface RecordPage {
  records: SourceRecord[];
  /** When the page arrived. */
  time: Date;
  /** The upper bound of the run. */
  untilTime: Date;
}

async function chooseAll(
  deps: { database: Database },
  scan: ReadScan,
  { records, time }: RecordPage,
  slices: TimeSlices,
): Promise<Chosen> {
  const { deletedRecords } = scan.target.definition;
  const deleted = await findFingerprints(
    deps,
    scan,
    deletedRecords ? records.map(({ id }) => buildDeletionKey(id)) : [],
  );
  const entries: string[] = [];
  const readTime = time.toISOString();
  for (const record of records) {
    if (slices.isOver()) await slices.next();
    entries.push(writeEntry(scan.shaper.shape(record, readTime)));
  }
  return { entries, kept: records, leftOut: [], fingerprints: [], forgotten: [...deleted.keys()] };
}

async function chooseChanged(
  deps: { database: Database },
  scan: ReadScan,
  { records, time, untilTime }: RecordPage,
  slices: TimeSlices,
): Promise<Chosen> {
  const { run, shaper, target } = scan;
  const { deletedRecords } = target.definition;
  const rememberedFromMs = untilTime.getTime() - computeLongestOverlapMs(target);
  const isRemembered = ({ changeTime = LAST_TIME }: SourceRecord): boolean =>
    changeTime.getTime() >= rememberedFromMs;
  const mayBeKnown = records.filter((record) => run.kind === "scheduled" || isRemembered(record));
  const ids = mayBeKnown.flatMap(({ id }) => (deletedRecords ? [id, buildDeletionKey(id)] : [id]));
  const fingerprints = await findFingerprints(deps, scan, ids);
  const chosen: Chosen = { entries: [], kept: [], leftOut: [], fingerprints: [], forgotten: [] };
  const readTime = time.toISOString();
  const ownWriteBehind = await findOwnWrites(deps, scan, records);
  const excludesOwn = (target.definition.ownWrites ?? target.destination.ownWrites) === "exclude";
  for (const record of records) {
    if (slices.isOver()) await slices.next();
    const { id, changeTime } = record;
    const last = fingerprints.get(id);
    const deletion = deletedRecords ? fingerprints.get(buildDeletionKey(id)) : undefined;
    if (isOvertaken(changeTime, time, last) || isOvertaken(changeTime, time, deletion)) {
      chosen.leftOut.push({ id, changeTime, leftOut: "overtaken" });
      continue;
    }
    const { own, possible } = ownWriteBehind(record, last?.changeTime);
    if (own && excludesOwn) {
      chosen.leftOut.push({ id, changeTime, leftOut: "ownWrite" });
      continue;
    }
    const entry = shaper.shape(record, readTime);
    if (own) entry.causedBy = { operationId: own.operationId };
    if (possible) entry.possiblyCausedBy = { operationId: possible.operationId };
    let content: string | undefined;
    if (last || isRemembered(record)) {
      content = writeContent(entry);
      const hash = computeFingerprint(record, content);
      if (last?.hash.equals(hash)) {
        chosen.leftOut.push({ id, changeTime, leftOut: "unchanged" });
        continue;
      }
      chosen.fingerprints.push({ recordId: id, changeTime: changeTime ?? LAST_TIME, hash });
    }
    if (deletion) chosen.forgotten.push(buildDeletionKey(id));
    chosen.entries.push(writeEntry(entry, content));
    chosen.kept.push(record);
  }
  return chosen;
}

/**
 * Without a change time (`null`, `0000-00-00`), no bound of a read leaves the record out: only its whole content shows whether it
 * changed, members that nobody selected included.
 */
const computeFingerprint = ({ changeTime, raw }: SourceRecord, content: string): Buffer =>
  recordFingerprint(changeTime ? content : `${content}${JSON.stringify(raw)}`, changeTime);

interface WriteBehind {
  /** The record certainly shows nothing else. */
  own?: OwnWrite | undefined;
  possible?: OwnWrite | undefined;
}

/** Returns a function that finds the write behind a change. A backfill gives the receiver its first copy, whoever wrote. */
async function findOwnWrites(
  { database }: { database: Database },
  { run, target, set, plan }: ReadScan,
  records: SourceRecord[],
): Promise<(record: SourceRecord, deliveredTime: Date | undefined) => WriteBehind> {
  if (run.kind !== "scheduled" || !target.connector.subscribe) return () => ({});
  const { objectKey, recordKey } = listOwnKeys(target.connector, run.objectName);
  const ids = records.map(({ id }) => recordKey(id));
  const writes = await listOwnWrites(database.data, { connectionId: run.connectionId, objectKey }, ids);
  const fields = plan.associations.length === 0 ? set.fields : undefined;
  return ({ id, changeTime, values }, deliveredTime) => {
    const written = writes.get(recordKey(id));
    if (!written) return {};
    const own = writeOfRecord({ changeTime, fields, values, deliveredTime }, written);
    return own ? { own } : { possible: findPossibleWrite(changeTime, written) };
  };
}

/** Returns the fingerprints of these records and deletions, as far as there are some. */
const findFingerprints = (
  { database }: { database: Database },
  { run: { installationId, objectName } }: ReadScan,
  recordIds: string[],
): Promise<Map<string, KnownFingerprint>> =>
  listFingerprints(database.data, { installationId, objectName, recordIds });

/**
 * Returns whether a newer version, or the deletion, was committed by another read after this page had arrived. A later page may
 * bring an earlier change time: transactions commit late.
 */
const isOvertaken = (
  changeTime: Date | undefined,
  arrivedTime: Date,
  last: KnownFingerprint | undefined,
): boolean =>
  changeTime !== undefined &&
  last !== undefined &&
  isBefore(changeTime, last.changeTime) &&
  arrivedTime < last.markedTime;

/** The last time of all stands for one that nobody knows: nothing is before it. */
const isBefore = (time: Date, known: Date): boolean => time < known && known.getTime() < LAST_TIME.getTime();

/** Key of a deletion among the fingerprints of records. */
const buildDeletionKey = (id: string): string => `deleted ${id}`;

/**
 * Returns the deletions that were not delivered before. The record itself is forgotten, so that it is delivered again if it is restored; a record
 * that changed after its deletion has been restored already.
 */
export async function chooseDeletions(
  deps: { database: Database },
  scan: ReadScan,
  { records, time }: { records: DeletedRecord[]; time: Date },
): Promise<Chosen> {
  const ids = records.flatMap(({ id }) => [id, buildDeletionKey(id)]);
  const fingerprints = await findFingerprints(deps, scan, ids);
  const chosen: Chosen = { entries: [], kept: [], leftOut: [], fingerprints: [], forgotten: [] };
  for (const record of records) {
    const changeTime = record.deletedTime ?? scan.startTime;
    const entry = shapeDeletion(record, time.toISOString());
    const content = writeContent(entry);
    const hash = recordFingerprint(content, record.deletedTime);
    const seen = { id: record.id, changeTime: record.deletedTime, deleted: true as const };
    const lastChange = fingerprints.get(record.id)?.changeTime;
    const isKnown = fingerprints.get(buildDeletionKey(record.id))?.hash.equals(hash) === true;
    if (isKnown || (record.deletedTime && lastChange && isBefore(record.deletedTime, lastChange))) {
      chosen.leftOut.push({ ...seen, leftOut: isKnown ? "unchanged" : "restored" });
      continue;
    }
    chosen.kept.push(seen);
    chosen.entries.push(writeEntry(entry, content));
    chosen.fingerprints.push({ recordId: buildDeletionKey(record.id), changeTime, hash });
    chosen.forgotten.push(record.id);
  }
  return chosen;
}
