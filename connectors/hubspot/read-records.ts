/** Reads HubSpot records by their ids, with all properties in the body. */
import type { Json } from "../../ground/json.ts";
import type { ReadPlan, SourceRecord } from "../../connector-kit/read-connector.ts";
import { buildBrokenPage, requireObject, listOrBroken } from "../../connector-kit/calls/page-check.ts";
import { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import type { Account, ProviderFetch, ProviderResponse } from "../../connector-kit/calls/provider-fetch.ts";
import { readByIds } from "../../connector-kit/calls/read-by-ids.ts";
import { parseBody } from "../../connector-kit/calls/send-request.ts";
import { classify } from "./classify.ts";
import { readFault, toRecordError, type HubspotFault } from "./fault.ts";
import { changeProperty } from "./read-object.ts";
import { BATCH_LIMIT, readBatch } from "./request.ts";
import { toSourceRecord } from "./source-record.ts";

/** Returns the records in the order of `wanted`; those that do not exist (any more) are absent. */
export async function readRecords(
  plan: Pick<ReadPlan, "objectName" | "account">,
  wanted: { id: string }[],
  properties: string[],
  fetch: ProviderFetch,
): Promise<SourceRecord[]> {
  const raws = await readBatches({ ...plan, ids: wanted.map(({ id }) => id), properties }, fetch);
  const changed = changeProperty(plan.objectName);
  const found = new Map(raws.map((raw) => toSourceRecord(raw, changed)).map((record) => [record.id, record]));
  return wanted.flatMap(({ id }) => found.get(id) ?? []);
}

interface BatchesToRead {
  objectName: string;
  ids: string[];
  properties: string[];
  /** Properties whose earlier values are wanted, too. */
  histories?: string[];
  account?: Account | undefined;
}

/** HubSpot takes 50 inputs in a batch that asks for histories. */
const HISTORIES_LIMIT = 50;

/**
 * Returns the records of these ids as HubSpot has them, in any order; those that do not exist (any more) are absent. Throws `ProviderError` for
 * every other reason why a record is missing: it must not count as deleted.
 */
export async function readBatches(
  { objectName, ids, properties, histories = [], account }: BatchesToRead,
  fetch: ProviderFetch,
): Promise<Json[]> {
  const bodies = await readByIds(
    {
      ids,
      limit: histories.length > 0 ? HISTORIES_LIMIT : BATCH_LIMIT,
      request: (some) => readBatch(objectName, some, properties, histories),
      classify: (response) => (isNothingFound(response) ? undefined : classify(response, account)),
    },
    fetch,
  );
  return bodies.flatMap(readResults);
}

const NOT_FOUND = "OBJECT_NOT_FOUND";

/** HubSpot answers 404 where none of the records of a batch exists (bruin-data/ingestr, pull request 1203, 2026-09-22). */
export const isNothingFound = ({ status, text }: ProviderResponse): boolean =>
  status === 404 && readFault(parseBody(text))?.category === NOT_FOUND;

/**
 * Returns the results of a batch read, of records or of their associations. An answer has a state of its own, and errors of several categories
 * beside its results (`BatchResponseSimplePublicObjectWithErrors` and `StandardError` of HubSpot-public-api-spec-collection, 2026-08-21). What
 * was not found is absent; throws `ProviderError` for every other reason why something is missing.
 */
export function readResults(body: Json | undefined): Json[] {
  const answer = requireObject(body, "the answer to a batch read");
  if (readFault(answer)?.category === NOT_FOUND) return [];
  const { status = "COMPLETE", results, numErrors, errors } = answer;
  if (status !== "COMPLETE") {
    const message = `HubSpot has not completed a batch read: its state is ${JSON.stringify(status)}`;
    throw new ProviderError({ kind: "unavailable", message, status: 200 });
  }
  const listed = Array.isArray(errors) ? errors : [];
  if (typeof numErrors === "number" && numErrors > 0 && listed.length === 0) {
    const message = `HubSpot counts ${numErrors} errors of a batch read, and gives none`;
    throw new ProviderError({ kind: "unavailable", message, status: 207 });
  }
  for (const entry of listed) {
    const fault = readFault(entry);
    if (!fault) throw buildBrokenPage("HubSpot's answer is broken: an error of a batch read has no reason");
    if (fault.category !== NOT_FOUND) throw explainMissing(fault);
  }
  return listOrBroken(results, "`results`", answer);
}

/** A reason that is not known to be about the request may pass. */
function explainMissing(fault: HubspotFault): ProviderError {
  const error = toRecordError(fault);
  if (error.kind !== "invalid" || fault.category === "VALIDATION_ERROR") return error;
  const { code, message } = error;
  return new ProviderError({ kind: "unavailable", code, message, status: 207 });
}
