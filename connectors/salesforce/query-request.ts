/** Sends queries to Salesforce, long ones inside a composite request. */
import type { Json } from "../../ground/json.ts";
import { buildBrokenPage, listOrBroken, requireObject } from "../../connector-kit/calls/page-check.ts";
import type { ProviderFetch, ProviderRequest } from "../../connector-kit/calls/provider-fetch.ts";
import { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import { concernsEveryRecord, send, type ProviderAnswer } from "../../connector-kit/calls/send-request.ts";
import { dropMark, type ChildAssociation } from "./association-plan.ts";
import { classify } from "./classify.ts";
import { DATA } from "./request.ts";

/** Maximum number of records of a page; Salesforce gives fewer where they are large. */
const PAGE_LIMIT = 2000;

/** Salesforce refuses an address that, with all headers, exceeds 16,384 bytes. */
const LONGEST_ADDRESS = 12_000;

export interface Query {
  soql: string;
  /** Whether deleted records are found as well. */
  withDeleted?: boolean;
  pageSize?: number;
  /** Lists of children, which leave out deleted ones. */
  children?: ChildAssociation[];
}

/** Returns the request of a query's first page. */
export function queryRequest(query: Query): ProviderRequest {
  const path = queryPath(query);
  return path.length > LONGEST_ADDRESS ? wrapInComposite(path) : get(path, query.pageSize);
}

/** Returns the request of a page that an answer named. */
export const buildLocatorRequest = (locator: string, pageSize?: number): ProviderRequest =>
  get(locator, pageSize);

const NO_MARK = /No such column 'IsDeleted' on entity '(\w+)'/;

/** Sends a query. Where children have no mark of deletion, which only Salesforce knows, it is sent again without the test of it. */
export async function sendQuery(query: Query, fetch: ProviderFetch): Promise<ProviderAnswer> {
  const answer = await sendOnce(query, fetch);
  const unmarked = NO_MARK.exec(answer.error?.message ?? "")?.[1];
  const soql = unmarked === undefined ? query.soql : dropMark(query.soql, query.children ?? [], unmarked);
  return soql === query.soql ? answer : sendQuery({ ...query, soql }, fetch);
}

/** An address that Salesforce finds too long goes in a body. */
async function sendOnce(query: Query, fetch: ProviderFetch): Promise<ProviderAnswer> {
  const request = queryRequest(query);
  if (request.method === "POST") return sendComposite(request, fetch);
  const answer = await send(request, fetch, classify);
  const { status } = answer.error ?? {};
  return status === 414 || status === 431 ? sendComposite(wrapInComposite(request.path), fetch) : answer;
}

/**
 * Sends the request of a page that an answer named. A locator belongs to the session that made it: with the token of a later session
 * it is answered by 401 for ever, although everything else works. So that 401 is returned like other ends of a locator, and the
 * query, which is sent next, tells whether the credentials are good.
 */
export const sendLocator = (
  locator: string,
  fetch: ProviderFetch,
  pageSize?: number,
): Promise<ProviderAnswer> =>
  send(buildLocatorRequest(locator, pageSize), fetch, classify).catch((error: unknown): ProviderAnswer => {
    if (error instanceof ProviderError && error.kind === "unauthorized") return { body: undefined, error };
    throw error;
  });

const queryPath = ({ soql, withDeleted }: Query): string =>
  `${DATA}/${withDeleted ? "queryAll" : "query"}?q=${encodeQuery(soql)}`;

/** Keeps the address short and legible. A plus that is meant as such is encoded. */
const encodeQuery = (soql: string): string =>
  encodeURIComponent(soql)
    .replaceAll("%20", "+")
    .replaceAll("%2C", ",")
    .replaceAll("%3A", ":")
    .replaceAll("%3D", "=");

const get = (path: string, pageSize = PAGE_LIMIT): ProviderRequest => ({
  method: "GET",
  path,
  headers: { "Sforce-Query-Options": `batchSize=${Math.min(Math.max(pageSize, 200), PAGE_LIMIT)}` },
  repeatable: true,
});

/** Parts of a composite request get no headers: one that a part does not know would fail it. */
const wrapInComposite = (url: string): ProviderRequest => ({
  method: "POST",
  path: `${DATA}/composite`,
  body: { compositeRequest: [{ method: "GET", url, referenceId: "query" }] },
  repeatable: true,
});

async function sendComposite(request: ProviderRequest, fetch: ProviderFetch): Promise<ProviderAnswer> {
  const answer = await send(request, fetch, classify);
  if (answer.error) return answer;
  const { compositeResponse } = requireObject(answer.body, "the answer");
  const [part] = listOrBroken(compositeResponse, "`compositeResponse`");
  return readAnswer(part);
}

/** Throws `ProviderError` like `send` if the part was refused for the call's sake. */
function readAnswer(part: Json | undefined): ProviderAnswer {
  const { httpStatusCode, body = null } = requireObject(part, "a part of `compositeResponse`");
  if (typeof httpStatusCode !== "number")
    throw buildBrokenPage("Salesforce's answer is broken: a part without status");
  const error = classify({ status: httpStatusCode, headers: {}, text: JSON.stringify(body) });
  if (error && concernsEveryRecord(error.kind)) throw error;
  return error ? { body, error } : { body };
}

/** Returns the address of the next page within the API, as an answer names it. Throws `ProviderError` for another one. */
export function readLocator(nextRecordsUrl: Json | undefined): string {
  const path = typeof nextRecordsUrl === "string" ? nextRecordsUrl : "";
  if (/^\/services\/data\/v\d+\.\d+\/(query|queryAll)\/[A-Za-z0-9_-]+$/.test(path)) return path;
  throw buildBrokenPage(
    "Salesforce's answer is broken: it names no usable next page although more records follow",
  );
}

/** Whether a page that an answer named is no longer there. */
export const isLocatorGone = (answer: ProviderAnswer): boolean => {
  const { error } = answer;
  if (!error) return false;
  if (error.kind === "unauthorized") return true;
  return error.kind === "not_found" || /LOCATOR/.test(`${error.code ?? ""} ${error.message.toUpperCase()}`);
};
