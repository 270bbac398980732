/** Writes one record by a description: sends its request and judges the answer. */
import { setTimeout as wait } from "node:timers/promises";
import { isJsonObject, type Json } from "../../../ground/json.ts";
import type { Connector, RecordToWrite, RecordWrite } from "../../connector.ts";
import type { ProviderFetch, ProviderRequest, ProviderResponse } from "../../calls/provider-fetch.ts";
import { ProviderError, readBeforeWrite } from "../../calls/provider-error.ts";
import { isBareAbsence } from "../../calls/judge-refusal.ts";
import { concernsEveryRecord, type ProviderAnswer, send, toPassing } from "../../calls/send-request.ts";
import type { SingleOutcome } from "../../calls/write-singly.ts";
import type { Description } from "../rules/description.ts";
import { findDenial, findDoubtOfSuccess, withoutPlainSuccess } from "./accepted-answer.ts";
import { judgeMutation } from "./graphql-outcome.ts";
import { getOne } from "../get-record.ts";
import { findReason } from "../create-declarative-classify.ts";
import { getMember, readRecordId, type ObjectPlan } from "../object-plan.ts";
import {
  type BuildRequest,
  findRules,
  keepRest,
  listMissingFields,
  listPartialFields,
  withFields,
} from "./record-request.ts";
import { findUntoldRefusal } from "../untold-refusal.ts";
import { findRefusal } from "./record-result.ts";
import { readAnswered, readOutcome } from "./write-outcome.ts";
import { nestValue, withQuery } from "../request-parts.ts";

interface Sending {
  plan: ObjectPlan;
  write: RecordWrite;
  fetch: ProviderFetch;
  classify: NonNullable<Connector["classify"]>;
  buildRequest: BuildRequest;
  errors: Description["errors"];
}

/** Throws what concerns the call, as `send`; what the provider says about the record is its outcome. */
export async function sendRecord(sending: Sending, asked: RecordToWrite): Promise<SingleOutcome> {
  const { write, fetch, classify, buildRequest, plan, errors } = sending;
  const keyTo = write.type === "create" ? plan.create?.idempotencyKeyTo : undefined;
  const key = keyTo === undefined ? undefined : asked.idempotencyKey?.();
  const before = await readBeforeWrite(readFirst(sending, asked));
  if (before instanceof ProviderError) return settleDeletion(write, asked, before);
  const { record, value } = before;
  const request = buildRequest(write, record, value);
  let response: ProviderResponse | undefined;
  const kept: ProviderFetch = async (one) => (response = withoutPlainSuccess(await fetch(one)));
  const judge = judgeMutation(plan, write.type, classify, errors);
  const sent = (one: ProviderRequest) =>
    send(one, kept, judge.classify, write.account).catch((fault: unknown) => {
      if (fault instanceof ProviderError && judge.isOfRecord(fault)) return { body: undefined, error: fault };
      throw fault;
    });
  const { body, error } =
    keyTo === undefined || key === undefined
      ? await sent(request)
      : await sendUnderKey({ keyTo, key }, request, sent);
  const refused = error ?? readRefusal(sending, body);
  if (refused && write.type === "create" && isBareAbsence(refused, response)) throw toPassing(refused);
  if (refused) return settleDeletion(write, record, refused);
  const answered = readAnswered(plan, write.type, body);
  const hasRecord = [answered, body].some((one) => readRecordId(one, plan) !== undefined);
  const doubt =
    findDoubtOfSuccess(response, write.type, plan[write.type], hasRecord) ??
    (hasRecord ? undefined : findDenial(response, write.type, body));
  if (doubt) return { outcome: { success: false, error: doubt } };
  const warning = judge.warning() ?? remarkIn(plan, body);
  const reported = warning === undefined ? {} : { warning };
  if (write.type === "delete" && record.id !== undefined)
    return { outcome: { success: true, recordId: record.id }, ...reported };
  return { ...(await readOutcome(sending, record, { body, headers: response?.headers ?? {} })), ...reported };
}

/** Returns what the provider says beside the record that it wrote. */
function remarkIn({ name, warnings }: ObjectPlan, body: Json | undefined): string | undefined {
  const remark = warnings && findReason(body, warnings);
  return remark === undefined ? undefined : `${name} was written, and the provider says: ${remark}`;
}

/** Returns the refusal of the record in a success. Throws it if it concerns the call. */
function readRefusal(sending: Sending, body: Json | undefined): ProviderError | undefined {
  const { plan, write, errors } = sending;
  const refusal = plan.written
    ? findRefusal({ code: errors.code, ...plan.written }, errors, body)
    : findUntoldRefusal(plan, readAnswered(plan, write.type, body), body);
  if (refusal && concernsEveryRecord(refusal.kind)) throw refusal;
  return refusal;
}

/** A record that is not there need not be deleted. */
const settleDeletion = ({ type }: RecordWrite, { id }: RecordToWrite, error: ProviderError): SingleOutcome =>
  type === "delete" && id !== undefined && error.kind === "not_found"
    ? { outcome: { success: true, recordId: id }, warning: `record ${id} was not there` }
    : { outcome: { success: false, error } };

interface ReadFirst {
  /** The record, with the fields that the provider demands, or would clear. */
  record: RecordToWrite;
  /** The value that the request must repeat. */
  value: Json | undefined;
}

/** Reads what the request must repeat; a `ProviderError` where the record does not have it. Throws as `send`. */
async function readFirst(
  { plan, write, fetch, classify }: Sending,
  record: RecordToWrite,
): Promise<ReadFirst | ProviderError> {
  const { readBefore } = findRules(plan, write.type) ?? {};
  const { id } = record;
  const [missing, partial] = [listMissingFields(plan, write, record), listPartialFields(plan, write, record)];
  const names = [
    ...(readBefore ? [readBefore.from] : []),
    ...missing,
    ...partial.map(({ at: path }) => path),
  ];
  if (names.length === 0 || id === undefined) return { record, value: undefined };
  const found = await getOne({ plan, fetch, classify }, id, names);
  if (!found)
    return new ProviderError({ kind: "not_found", message: `there is no record ${id} of ${plan.name}` });
  const repeated = missing.flatMap((path) => {
    const value = getMember(found, path);
    return value === undefined || value === null ? [] : [[path, value] as const];
  });
  const kept = partial.map(
    (one) => [one.at, keepRest(one, getMember(record.fields, one.at), getMember(found, one.at))] as const,
  );
  const complete = withFields(record, Object.fromEntries([...repeated, ...kept]));
  if (!readBefore) return { record: complete, value: undefined };
  const value = getMember(found, readBefore.from);
  if (value !== undefined && value !== null) return { record: complete, value };
  const message = `record ${id} of ${plan.name} has nothing at ${readBefore.from}`;
  return new ProviderError({ kind: "invalid", message });
}

/** The provider may still be working on the first request. */
const PAUSE_MS = 300;

/**
 * Sends the request with the key at `header.<name>`, `query.<name>` or `body.<path>`, and once more if its answer is lost. Throws `ProviderError`
 * like `send`: `unknown_outcome` if the repeated request does not tell either whether there is a record.
 */
async function sendUnderKey(
  { keyTo, key }: { keyTo: string; key: string },
  request: ProviderRequest,
  sendOnce: (request: ProviderRequest) => Promise<ProviderAnswer>,
): Promise<ProviderAnswer> {
  const keyed = withKey(request, keyTo, key);
  try {
    return await sendOnce(keyed);
  } catch (error) {
    if (!(error instanceof ProviderError) || error.kind !== "unknown_outcome") throw error;
    await wait(PAUSE_MS);
    const again = await sendOnce(keyed).catch((cause: unknown) => {
      if (cause instanceof ProviderError) throw error;
      throw cause;
    });
    // The first request is not finished, and may still succeed.
    if (again.error?.kind === "conflict") throw error;
    return again;
  }
}

function withKey(request: ProviderRequest, keyTo: string, key: string): ProviderRequest {
  const name = keyTo.slice(keyTo.indexOf(".") + 1);
  if (keyTo.startsWith("header.")) return { ...request, headers: { ...request.headers, [name]: key } };
  if (keyTo.startsWith("query.")) return { ...request, path: withQuery(request.path, [[name, key]]) };
  const { body } = request;
  return { ...request, body: nestValue(name, key, body !== undefined && isJsonObject(body) ? body : {}) };
}
