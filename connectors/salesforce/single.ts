/** Creates, updates and deletes Salesforce records one by one, and brings back what they became. */
import { shorten } from "../../server/ground/storable-text.ts";
import { isJsonObject, type Json, type JsonObject } from "../../server/ground/json.ts";
import { concernsTheCall, send, unreadable } from "../../connector-kit/send-request.ts";
import type { RecordToWrite, RecordWrite, WriteResult } from "../../connector-kit/connector.ts";
import type { ProviderFetch, ProviderRequest } from "../../connector-kit/provider-fetch.ts";
import { ProviderError } from "../../connector-kit/provider-error.ts";
import { Outcomes } from "../../connector-kit/outcomes.ts";
import { classify } from "./classify.ts";
import { readRecordFaults, toError } from "./fault.ts";
import { idFault } from "./id.ts";
import { READ_PART, readOne, WRITE_PART, writeAndRead, writeOne } from "./request.ts";

export async function writeSingly(write: RecordWrite, fetch: ProviderFetch): Promise<WriteResult> {
  const outcomes = new Outcomes(write.records.length);
  const result: WriteResult = { outcomes: [], warnings: [] };
  for (const [index, record] of write.records.entries()) {
    const fault = write.type === "create" ? undefined : idFault(record.id);
    if (fault) {
      outcomes.fail([index], fault);
      continue;
    }
    await outcomes.attempt([index], async () => {
      const written = await writeRecord(write, record, fetch);
      if (written.error) {
        result.rawResponse = written.error.rawResponse;
        return outcomes.fail([index], written.error);
      }
      if (written.warning) result.warnings.push(written.warning);
      outcomes.settle(index, {
        success: true,
        recordId: written.id,
        ...(written.data && { data: written.data }),
      });
    });
  }
  return { ...result, outcomes: outcomes.finish() };
}

/** The requests for one record, in order. The id of a record yet to be created shows as `{id}`. */
export function requestsFor(write: RecordWrite, record: RecordToWrite): ProviderRequest[] {
  if (inOneCall(write)) return [writeAndRead(write, record)];
  const requests = [writeOne(write, record)];
  if (readsBack(write)) requests.push(readOne(write.objectName, record.id ?? "{id}", record.fields));
  return requests;
}

type Written =
  | { error: ProviderError }
  | { error?: undefined; id: string; data?: JsonObject; warning?: string };

const readsBack = (write: RecordWrite): boolean => write.type !== "delete" && write.readBack !== false;

/**
 * The parts of a composite request can carry headers too, but only those that the resource supports, and one it does
 * not know fails the whole: so a caller's headers go with a plain request, as they would without Busbar.
 */
const inOneCall = (write: RecordWrite): boolean =>
  readsBack(write) && Object.keys(write.headers).length === 0;

async function writeRecord(
  write: RecordWrite,
  record: RecordToWrite,
  fetch: ProviderFetch,
): Promise<Written> {
  if (inOneCall(write)) {
    const answer = await send(writeAndRead(write, record), fetch, classify);
    if (!answer.error) return readComposite(record, answer.body);
    // A gateway before Salesforce may know the plain resources only. Nothing was written.
    if (answer.error.status !== 404 && answer.error.status !== 405) return { error: answer.error };
  }
  const answer = await send(writeOne(write, record), fetch, classify);
  if (answer.error) return { error: answer.error };
  const written = readWritten(record, answer.body);
  if (written.error || !readsBack(write)) return written;
  return { ...written, ...(await readBack(write, written.id, record, fetch)) };
}

/** The id of a written record: in the answer to a create, in the request of anything else, which answers 204. */
function readWritten(record: RecordToWrite, body: Json | undefined): Written {
  const answer = isJsonObject(body) ? body : {};
  if (answer.success === false) {
    const rawResponse = shorten(JSON.stringify(answer));
    return { error: toError(readRecordFaults(answer), { rawResponse, otherwise: "invalid" }) };
  }
  const id = typeof answer.id === "string" ? answer.id : record.id;
  return id ? { id } : { error: withoutId() };
}

async function readBack(
  write: RecordWrite,
  id: string,
  record: RecordToWrite,
  fetch: ProviderFetch,
): Promise<{ data?: JsonObject; warning?: string }> {
  try {
    const answer = await send(readOne(write.objectName, id, record.fields), fetch, classify);
    if (answer.error) return { warning: notReadBack(answer.error.message) };
    return isJsonObject(answer.body)
      ? { data: fieldsOf(answer.body) }
      : { warning: notReadBack("empty answer") };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return { warning: notReadBack(error.message) };
  }
}

/** Both parts answer on their own, inside an answer that is always 200. */
function readComposite(record: RecordToWrite, body: Json | undefined): Written {
  const parts = isJsonObject(body) && Array.isArray(body.compositeResponse) ? body.compositeResponse : [];
  const part = (name: string) => parts.filter(isJsonObject).find(({ referenceId }) => referenceId === name);
  const write = part(WRITE_PART);
  if (!write) throw unreadable({ status: 200, headers: {}, text: JSON.stringify(body ?? null) });

  const error = partError(write);
  if (error && concernsTheCall(error.kind)) throw error;
  if (error) return { error };
  const written = readWritten(record, write.body);
  if (written.error) return written;

  const read = part(READ_PART);
  const readError = read && partError(read);
  if (!readError && isJsonObject(read?.body)) return { ...written, data: fieldsOf(read.body) };
  return { ...written, warning: notReadBack(readError?.message ?? "no answer") };
}

function partError(part: JsonObject): ProviderError | undefined {
  const status = typeof part.httpStatusCode === "number" ? part.httpStatusCode : 500;
  return classify({ status, headers: {}, text: JSON.stringify(part.body ?? null) });
}

/** `attributes` tells the type and address of a record; it is not one of its fields. */
const fieldsOf = (record: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(record).filter(([name]) => name !== "attributes"));

const notReadBack = (reason: string): string =>
  `the record was written, but reading it back failed: ${reason}`;

const withoutId = (): ProviderError =>
  new ProviderError({
    kind: "unreadable",
    message: "Salesforce reported success without a record id; look the record up before writing it again",
  });
