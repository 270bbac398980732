/** Recognises changes that only show what Busbar wrote; and those that may. */
import { createHash } from "node:crypto";
import type { Connector, RecordOutcome, RecordToWrite } from "../../connector-kit/connector.ts";
import { now } from "../../ground/clock.ts";
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";
import { isStorable } from "../../ground/storable-text.ts";
import type { OwnWrite } from "../store/operations/own-writes.ts";

/** Returns the one spelling of an object and of a record's id, under which writes are remembered. */
export const listOwnKeys = (connector: Connector, objectName: string) => ({
  objectKey: connector.subscribe?.objectKey(objectName) ?? objectName.toLowerCase(),
  recordKey: (id: string): string => connector.write?.recordKey(id) ?? id,
});

/** How exactly a time is known: the provider's own of the change, that of its answer in full seconds, or only that of our clock. */
const TOLERANCE_MS = { change: 1_000, answer: 2_000, ours: 60_000 };
/** How long after a write a provider may still derive values from it. */
const DERIVED_MS = 120_000;

interface Written {
  operationId: string;
  type: "create" | "update" | "delete" | "upsert";
  records: readonly RecordToWrite[];
  outcomes: readonly RecordOutcome[];
  /** Duration from the first request to the last answer. */
  tookMs: number;
  /** Time of the last answer by its header `Date`. */
  answerTime: Date | undefined;
  recordKey(id: string): string;
}

/** Longer than the id of any provider, and short enough for an index. */
const MAX_ID_LENGTH = 500;

/** Returns what to remember of a write. */
export function collectOwnWrites({
  operationId,
  type,
  records,
  outcomes,
  recordKey,
  ...times
}: Written): OwnWrite[] {
  return outcomes.flatMap((outcome, index): OwnWrite[] => {
    const record = records[index];
    if (!outcome.success || outcome.recordId === undefined || !record) return [];
    const { changeTime } = outcome;
    const recordId = recordKey(outcome.recordId);
    // An id that cannot be stored is not remembered: the change is delivered.
    if (!isStorable(recordId) || recordId.length > MAX_ID_LENGTH) return [];
    return [
      {
        recordId,
        operationId,
        type: type === "upsert" ? (outcome.created === true ? "create" : "update") : type,
        ...findWritePeriod(changeTime, times),
        changeTime: changeTime ?? null,
        fields: hashValues(record.fields, outcome),
      },
    ];
  });
}

function findWritePeriod(
  changeTime: Date | undefined,
  { tookMs, answerTime }: Pick<Written, "tookMs" | "answerTime">,
): Pick<OwnWrite, "since" | "until"> {
  const at = (changeTime ?? answerTime ?? now()).getTime();
  const tolerance = changeTime ? TOLERANCE_MS.change : answerTime ? TOLERANCE_MS.answer : TOLERANCE_MS.ours;
  return { since: new Date(at - tookMs - tolerance), until: new Date(at + tolerance) };
}

/**
 * Takes the values as the provider answers them, which may be spelt otherwise than they were sent; of a new record also those that
 * the provider answers without having got them: it derived them from the create.
 */
function hashValues(sent: JsonObject, { changeTime, data, created }: Accepted): Record<string, string> {
  // An answer without the time of the change may be a later state.
  const stored = changeTime && isJsonObject(data?.properties) ? data.properties : {};
  const all = created === false ? sent : { ...stored, ...sent };
  return Object.fromEntries(
    Object.entries(all).map(([name, value]) => [name.toLowerCase(), hashValue(stored[name] ?? value)]),
  );
}

type Accepted = Extract<RecordOutcome, { success: true }>;

const hashValue = (value: Json): string =>
  createHash("sha256")
    .update(typeof value === "string" ? value : value === null ? "" : JSON.stringify(value))
    .digest("base64url")
    .slice(0, 11);

/** A change as the provider reported it. */
interface ReportedChange {
  type: string;
  time: Date;
  operationId?: string | undefined;
  /** The fields that it sets; undefined: not known. */
  setFields?: readonly string[] | undefined;
  /** The values that the app of this connection set. */
  ownValues?: Readonly<Record<string, Json>> | undefined;
}

/** Returns the write that the reported change shows and nothing else; undefined where that is not certain. */
export function writeOfReport(change: ReportedChange, writes: readonly OwnWrite[]): OwnWrite | undefined {
  const { type, time, operationId, setFields, ownValues } = change;
  if (operationId !== undefined) {
    return writes.find(
      (write) =>
        write.operationId === operationId &&
        write.type === type &&
        (type === "delete" || (setFields !== undefined && coversNames(write, setFields))),
    );
  }
  if (!ownValues) return undefined;
  return writes.find((write) => {
    if (type === "create") return write.type === "create";
    const values = Object.entries(ownValues);
    return (
      type === "update" &&
      write.type !== "delete" &&
      isWithin(write, time) &&
      values.length > 0 &&
      values.every(([name, value]) => isWritten(write, name, value))
    );
  });
}

/** A record as it was read. */
interface ReadChange {
  changeTime: Date | undefined;
  /** The fields that are shown of it; undefined: more than fields, or all. */
  fields: readonly string[] | undefined;
  /** Undefined: not known yet. */
  values?: JsonObject | undefined;
  /** The change that the receiver has. */
  deliveredTime?: Date | undefined;
}

/**
 * Returns the write after which a record that was read has not changed. What is shown of the record must be new with it, or written by
 * it: an earlier change by somebody else may not have been delivered yet. Where the provider does not tell the time of a write exactly,
 * all that is shown must be as it was written, and nothing of the same seconds delivered before.
 */
export const writeOfRecord = (
  { changeTime, fields, values, deliveredTime }: ReadChange,
  writes: readonly OwnWrite[],
): OwnWrite | undefined =>
  writes.find((write) => {
    if (write.type === "delete" || changeTime === undefined) return false;
    const isShown = fields !== undefined && fields.length > 0;
    if (write.changeTime) {
      const isSame = write.changeTime.getTime() === changeTime.getTime();
      return isSame && (write.type === "create" || (isShown && coversNames(write, fields)));
    }
    const isRepeated = deliveredTime !== undefined && deliveredTime >= write.since;
    if (!isWithin(write, changeTime) || isRepeated || !isShown || !values) return false;
    return fields.every(
      (name) =>
        isWritten(write, name, values[name] ?? null) ||
        (write.type === "create" && (values[name] ?? null) === null && !coversNames(write, [name])),
    );
  });

/** Returns the write that may be the cause of a change at a time, though that is not certain. */
export const findPossibleWrite = (
  time: Date | undefined,
  writes: readonly OwnWrite[],
): OwnWrite | undefined =>
  time && writes.find(({ since, until }) => since < time && time.getTime() <= until.getTime() + DERIVED_MS);

const isWithin = ({ since, until }: OwnWrite, time: Date): boolean => since < time && time <= until;

const coversNames = ({ fields }: OwnWrite, names: readonly string[]): boolean =>
  names.every((name) => Object.hasOwn(fields, name.toLowerCase()));

const isWritten = ({ fields }: OwnWrite, name: string, value: Json): boolean =>
  Object.hasOwn(fields, name.toLowerCase()) && fields[name.toLowerCase()] === hashValue(value);
