/** Creates, updates and deletes Salesforce records with one request each, and reads them back. */
import { shorten } from "../../ground/storable-text.ts";
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";
import {
  concernsEveryRecord,
  send,
  doubtUnlessProven,
  buildUnreadable,
  toPassing,
} from "../../connector-kit/calls/send-request.ts";
import { sendForNothing } from "../../connector-kit/calls/send-for-nothing.ts";
import type { RecordToWrite, RecordWrite, WriteResult } from "../../connector-kit/connector.ts";
import type {
  ProviderFetch,
  ProviderRequest,
  ProviderResponse,
} from "../../connector-kit/calls/provider-fetch.ts";
import { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import { writeSingly } from "../../connector-kit/calls/write-singly.ts";
import { classify } from "./classify.ts";
import { readRecordFaults, toError } from "./fault.ts";
import { recordFault } from "./record-fault.ts";
import { buildKeyStep, READ_PART, readOne, WRITE_PART, writeAndRead, writeOne } from "./request.ts";

export const writeOneByOne = (write: RecordWrite, fetch: ProviderFetch): Promise<WriteResult> =>
  writeSingly(write, {
    findFault: (record) => recordFault(write, record),
    send: async (record) => {
      const written = await writeRecord(write, record, fetch);
      if (written.error) return { outcome: { success: false, error: written.error } };
      const { id, data, created, warning } = written;
      const reported = { ...(data && { data }), ...(created !== undefined && { created }) };
      return { outcome: { success: true, recordId: id, ...reported }, warning };
    },
  });

/** Returns the requests for one record, in order. The id of a record that is not created yet is shown as `{id}`. */
export function buildRecordRequests(write: RecordWrite, record: RecordToWrite): ProviderRequest[] {
  if (isInOneCall(write, record)) return [writeAndRead(write, record)];
  const requests = [writeOne(write, record)];
  const step = write.type === "upsert" ? buildKeyStep(write, record) : (record.id ?? "{id}");
  if (readsBack(write)) requests.push(readOne(write.objectName, step, record.fields));
  return requests;
}

type WrittenRecord =
  | { error: ProviderError }
  | { error?: undefined; id: string; data?: JsonObject; created?: boolean; warning?: string };

const readsBack = (write: RecordWrite): boolean => write.type !== "delete" && write.readBack !== false;

/**
 * A part of a composite request accepts only headers that its resource supports, and an unknown header fails the whole
 * request. So a caller's headers go with a plain request. So does a text with `@{`: in the body of a part it would be a reference to another
 * part (REST API Developer Guide, Composite Subrequest).
 */
const isInOneCall = (write: RecordWrite, record: RecordToWrite): boolean =>
  readsBack(write) &&
  Object.keys(write.headers).length === 0 &&
  !JSON.stringify(record.fields).includes("@{");

async function writeRecord(
  write: RecordWrite,
  record: RecordToWrite,
  fetch: ProviderFetch,
): Promise<WrittenRecord> {
  if (isInOneCall(write, record)) {
    const request = writeAndRead(write, record);
    const answer = await send(request, fetch, classify);
    if (!answer.error) return readComposite(request, record, answer.body);
    // A gateway in front of Salesforce may know the plain resources only. Nothing was written.
    if (answer.error.status !== 404 && answer.error.status !== 405) return { error: answer.error };
  }
  const { id } = record;
  if (id !== undefined && (write.type === "update" || write.type === "delete")) {
    const error = await sendForNothing("Salesforce", writeOne(write, record), fetch, { classify });
    if (error) return { error };
    return { id, ...(readsBack(write) && (await readBack(write, id, record, fetch))) };
  }
  const answer = await send(writeOne(write, record), fetch, classify);
  // Without a code, 404 does not tell what is not there.
  if (answer.error?.kind === "not_found" && answer.error.code === undefined) throw toPassing(answer.error);
  if (answer.error) return { error: answer.error };
  const written = readWritten(record, answer.body);
  if (written.error || !readsBack(write)) return written;
  return { ...written, ...(await readBack(write, written.id, record, fetch)) };
}

/** Returns the id of a written record: the answer to a create has it; other parts of a composite request answer 204, so the request has it. */
function readWritten(record: RecordToWrite, body: Json | undefined): WrittenRecord {
  const answer = isJsonObject(body) ? body : {};
  if (answer.success === false) {
    const rawResponse = shorten(JSON.stringify(answer));
    return { error: toError(readRecordFaults(answer), { rawResponse, otherwise: "invalid" }) };
  }
  const id = typeof answer.id === "string" ? answer.id : record.id;
  const created = typeof answer.created === "boolean" ? { created: answer.created } : {};
  return id ? { id, ...created } : { error: withoutId() };
}

async function readBack(
  write: RecordWrite,
  id: string,
  record: RecordToWrite,
  fetch: ProviderFetch,
): Promise<{ data?: JsonObject; warning?: string }> {
  try {
    const answer = await send(readOne(write.objectName, id, record.fields), fetch, classify);
    if (answer.error) return { warning: describeNotReadBack(answer.error.message) };
    return isJsonObject(answer.body)
      ? { data: dropAttributes(answer.body) }
      : { warning: describeNotReadBack("empty answer") };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return { warning: describeNotReadBack(error.message) };
  }
}

/** Reads an answer of status 200 in which each part has a status of its own. */
function readComposite(
  request: ProviderRequest,
  record: RecordToWrite,
  body: Json | undefined,
): WrittenRecord {
  const parts = isJsonObject(body) && Array.isArray(body.compositeResponse) ? body.compositeResponse : [];
  const part = (name: string) => parts.filter(isJsonObject).find(({ referenceId }) => referenceId === name);
  const write = part(WRITE_PART);
  if (!write) throw buildUnreadable({ status: 200, headers: {}, text: JSON.stringify(body ?? null) });

  const error = classifyPart(write);
  if (error && concernsEveryRecord(error.kind)) throw doubtUnlessProven(request, toPartAnswer(write), error);
  if (error) return { error };
  const written = readWritten(record, write.body);
  if (written.error) return written;

  const read = part(READ_PART);
  const readError = read && classifyPart(read);
  if (!readError && isJsonObject(read?.body)) return { ...written, data: dropAttributes(read.body) };
  return { ...written, warning: describeNotReadBack(readError?.message ?? "no answer") };
}

const classifyPart = (part: JsonObject): ProviderError | undefined => classify(toPartAnswer(part));

/** A part is a request of its own, whose status proves as much, or as little, as that of one sent alone. */
function toPartAnswer(part: JsonObject): ProviderResponse {
  const status = typeof part.httpStatusCode === "number" ? part.httpStatusCode : 500;
  return { status, headers: {}, text: JSON.stringify(part.body ?? null) };
}

/** Drops `attributes`, the type and address of a record, which is not a field. */
const dropAttributes = (record: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(record).filter(([name]) => name !== "attributes"));

const describeNotReadBack = (reason: string): string =>
  `the record was written, but reading it back failed: ${reason}`;

/** The error for a record that was written and has no id in the answer. */
export const withoutId = (): ProviderError =>
  new ProviderError({
    kind: "unreadable",
    message: "Salesforce reported success without a record id; look the record up before writing it again",
  });
