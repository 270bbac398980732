/** Answers of a simulated vendor: pages, records, refusals. */
import type { Json, JsonObject } from "../../ground/json.ts";
import type { Facts, ListFact, RecordFact } from "../../connector-kit/facts/facts.ts";
import { TOKEN_NAME, countTotal, type CutPage } from "./vendor-pages.ts";
import { setAtPath } from "./vendor-records.ts";
import type { VendorRequest } from "./vendor-request.ts";

export interface VendorAnswer {
  status: number;
  headers: Record<string, string>;
  body?: Json;
}

const REASON = "REASON";

/** Builds a refusal in the vendor's published form. */
export function buildRefusal({ errors }: Facts, status: number, reason: string): VendorAnswer {
  const body = JSON.stringify(errors?.body ?? { error: { message: REASON } });
  return {
    status: errors?.status ?? status,
    headers: {},
    body: JSON.parse(body.replaceAll(REASON, JSON.stringify(reason).slice(1, -1))) as Json,
  };
}

/** Builds the answer of a list. `url` is the address of this request, for addresses of the next page. */
export function buildListAnswer(
  fact: ListFact,
  page: CutPage,
  shown: JsonObject[],
  next: { url: string; request: VendorRequest },
): VendorAnswer {
  const { paging, records, each, whenEmpty = "list" } = fact;
  const headers: Record<string, string> = {};
  const status = fact.success[0] ?? 200;
  const isEmpty = shown.length === 0;
  if (isEmpty && whenEmpty === "204" && !page.more) return { status: 204, headers };
  const listed: Json[] = each === undefined ? shown : shown.map((record) => buildSurroundings(each, record));
  if (records === "") {
    putNext(fact, page, next, { headers });
    return { status, headers, body: listed };
  }
  const body: JsonObject = {};
  for (const [path, value] of Object.entries(fact.envelope ?? {})) setAtPath(body, path, value as Json);
  if (!isEmpty || whenEmpty === "list" || whenEmpty === "204") setAtPath(body, records, listed);
  else if (whenEmpty === "null") setAtPath(body, records, null);
  else if (records.includes(".")) setAtPath(body, records.split(".").slice(0, -1).join("."), {});
  if (paging.total !== undefined && !paging.total.startsWith("header."))
    setAtPath(body, paging.total, countTotal(fact, page));
  if (paging.more !== undefined)
    setAtPath(body, paging.more, paging.moreMeans === "last" ? !page.more : page.more);
  if (page.isCut)
    for (const [path, value] of Object.entries(paging.depth?.mark ?? {})) setAtPath(body, path, value);
  if (paging.next !== undefined) setAtPath(body, paging.next, page.end ?? 0);
  putNext(fact, page, next, { headers, body });
  return { status, headers, body };
}

const buildSurroundings = (member: string, record: JsonObject): JsonObject => {
  const entry: JsonObject = {};
  setAtPath(entry, member, record);
  return entry;
};

/** Adds the cursor or address of the next page at the vendor's place. */
function putNext(
  { paging }: ListFact,
  { token }: CutPage,
  { url, request }: { url: string; request: VendorRequest },
  answer: { headers: Record<string, string>; body?: JsonObject },
): void {
  const { kind, from, to } = paging;
  const name = to?.startsWith("query.") ? to.slice("query.".length) : TOKEN_NAME;
  const address = (): string => {
    if (paging.address !== undefined) return paging.address.replace("{place}", token ?? "");
    const query = new URLSearchParams(request.query);
    query.set(name, token ?? "");
    return `${url}?${query}`;
  };
  const value = token === undefined ? undefined : kind === "cursor" ? token : address();
  if (kind === "link" || paging.linked) {
    if (value !== undefined) answer.headers["link"] = `<${url}>; rel="self", <${value}>; rel="next"`;
    return;
  }
  if (from === undefined) return;
  if (from.startsWith("header.")) {
    if (value !== undefined) answer.headers[from.slice("header.".length).toLowerCase()] = value;
  } else if (answer.body) {
    if (value !== undefined) setAtPath(answer.body, from, value);
    else if (paging.last === "null") setAtPath(answer.body, from, null);
    else if (paging.last === "empty") setAtPath(answer.body, from, "");
  }
}

/** Builds the answer to a request for one record. */
export function buildRecordAnswer(
  fact: RecordFact,
  record: JsonObject | undefined,
  id: string,
): VendorAnswer {
  const headers: Record<string, string> = {};
  // Of several successes, the one that says least.
  const status = fact.success.includes(202) ? 202 : (fact.success[0] ?? 200);
  const body: JsonObject = {};
  for (const [path, value] of Object.entries(fact.envelope ?? {})) setAtPath(body, path, value as Json);
  if (fact.answerId?.startsWith("header."))
    headers[fact.answerId.slice("header.".length).toLowerCase()] =
      `https://vendor.test/records/${encodeURIComponent(id)}`;
  else if (fact.answerId !== undefined)
    setAtPath(body, fact.answerId, /^\d{1,15}$/.test(id) ? Number(id) : id);
  if (fact.record === "" && record) return { status, headers, body: { ...body, ...record } };
  if (fact.record !== undefined && record) setAtPath(body, fact.record, record);
  return status === 204 || Object.keys(body).length === 0 ? { status, headers } : { status, headers, body };
}
