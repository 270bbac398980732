/** Reads the outcome from the answer to a write: the record's id, and the record as it now is. */
import { isJsonObject, type Json, type JsonObject } from "../../../ground/json.ts";
import type { Connector, RecordOutcome, RecordToWrite, RecordWrite } from "../../connector.ts";
import { shorten } from "../../../ground/storable-text.ts";
import { ProviderError } from "../../calls/provider-error.ts";
import type { ProviderFetch, ProviderResponse } from "../../calls/provider-fetch.ts";
import type { SingleOutcome } from "../../calls/write-singly.ts";
import { readUpsertKey } from "../../calls/upsert-key.ts";
import { getTextAt } from "../../calls/get-text-at.ts";
import type { WriteRules } from "../rules/description.ts";
import { fillPath } from "../fill-path.ts";
import { getOne } from "../get-record.ts";
import { isOtherRecord, isRenamed } from "./other-record.ts";
import { getMember, readRecordId, type ObjectPlan } from "../object-plan.ts";

interface Answered {
  plan: ObjectPlan;
  write: RecordWrite;
  fetch: ProviderFetch;
  classify: NonNullable<Connector["classify"]>;
}

/** An answer to a create that names no id leaves open what was written. */
export async function readOutcome(
  sending: Answered,
  { id, fields }: RecordToWrite,
  { body, headers }: { body: Json | undefined; headers: ProviderResponse["headers"] },
): Promise<SingleOutcome> {
  const { plan, write, fetch, classify } = sending;
  const { id: idAt, empty = false } = findWriteRules(plan, write.type) ?? {};
  const answered = idAt === undefined && !empty ? readAnswered(plan, write.type, body) : undefined;
  const keyed =
    write.type === "upsert" && plan.upsert?.keyIsId ? readUpsertKey(write, { fields }) : undefined;
  const recordId =
    (idAt === undefined ? readRecordId(answered, plan) : readIdIn(idAt, body, headers)) ?? keyed ?? id;
  if (recordId === undefined && write.type === "upsert" && plan.upsert?.empty)
    return { outcome: { success: true } };
  if (recordId === undefined) {
    const done = write.type === "upsert" ? "upserted" : "created";
    const message = `${plan.name} was ${done}, but the provider's answer has no id: \`${idAt ?? plan.idPath}\` is missing or empty`;
    const error = new ProviderError({ kind: "unreadable", message, status: 200 });
    return { outcome: { success: false, error } };
  }
  const isOther = write.type === "update" && id !== undefined && isOtherRecord(id, recordId, answered);
  if (isOther && !isRenamed(recordId, fields, plan.upsert?.keyHash)) {
    const message = `the provider's answer to the update of record ${id} of ${plan.name} is record ${recordId}`;
    return {
      outcome: { success: false, error: new ProviderError({ kind: "unreadable", message, status: 200 }) },
    };
  }
  const outcome: RecordOutcome = { success: true, recordId };
  if (isJsonObject(answered) && isRecord(answered, plan, fields))
    return { outcome: { ...outcome, data: answered } };
  const other = idAt === undefined && !empty ? remarkOther(write.type, body) : undefined;
  if (write.readBack === false || write.batch || !plan.get)
    return { outcome, ...(other !== undefined && { warning: other }) };
  try {
    const data = await getOne({ plan, fetch, classify }, recordId, Object.keys(fields));
    if (data) return { outcome: { ...outcome, data } };
    return { outcome, warning: other ?? `record ${recordId} was written, but is not found afterwards` };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return {
      outcome,
      warning: `record ${recordId} was written, but could not be read back: ${error.message}`,
    };
  }
}

const MAX_WORDS = 200;

/** Returns a warning for a success that shows something else than the record; undefined for an answer without words. */
function remarkOther(type: RecordWrite["type"], body: Json | undefined): string | undefined {
  const isFilled = body !== undefined && isJsonObject(body) && Object.keys(body).length > 0;
  if (!isFilled) return undefined;
  return `the provider's answer to the ${type} does not show the record: ${shorten(JSON.stringify(body), MAX_WORDS)}`;
}

/** Returns what stands in an answer where the record is. */
export function readAnswered(
  plan: ObjectPlan,
  type: RecordWrite["type"],
  body: Json | undefined,
): Json | undefined {
  const place = plan.recordAt?.[type] ?? plan.record;
  return getMember(body, place === undefined ? undefined : fillPath(place, plan));
}

/** Other words of a success, such as `{"status": "ok"}`, are not the record. */
const isRecord = (answered: JsonObject, plan: ObjectPlan, fields: JsonObject): boolean =>
  readRecordId(answered, plan) !== undefined ||
  Object.keys(fields).some((name) => Object.hasOwn(answered, name));

const findWriteRules = (plan: ObjectPlan, type: RecordWrite["type"]): WriteRules | undefined =>
  type === "delete" ? undefined : plan[type];

/** Returns the id at a path, or the last part of the address in a header. */
function readIdIn(
  place: string,
  body: Json | undefined,
  headers: ProviderResponse["headers"],
): string | undefined {
  if (!place.startsWith("header.")) return body === undefined ? undefined : getTextAt(body, place);
  const address = headers[place.slice("header.".length).toLowerCase()];
  const last = address?.split(/[?#]/)[0]?.split("/").at(-1);
  return last === undefined || last === "" ? undefined : decodeOrKeep(last);
}

function decodeOrKeep(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
