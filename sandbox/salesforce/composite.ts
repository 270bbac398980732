// Several requests in one: composite (references, all or none), composite/batch and composite/tree.

import {
  asData,
  asList,
  asText,
  isData,
  Refused,
  type SandboxAnswer,
  type Data,
  type SandboxExchange,
} from "../exchange.ts";
import type { Router } from "../router.ts";
import { readDuplicateHeader } from "./duplicate-rules.ts";
import { buildErrorAnswer, refuse } from "./errors.ts";
import type { Org } from "./org.ts";
import { insertRecord } from "./records.ts";
import { API, parseBody, findStore, type OrgSource } from "./sobjects.ts";

/** Answers a sub-request like a separate request. */
type Dispatch = (exchange: SandboxExchange) => SandboxAnswer;

const MAX_REQUESTS = 25;

export function addCompositeRoutes(router: Router, org: OrgSource, dispatch: Dispatch): void {
  router.add("POST", `${API}/composite`, (exchange) => answerComposite(org(), exchange, dispatch));
  router.add("POST", `${API}/composite/batch`, (exchange) => answerBatch(exchange, dispatch));
  router.add("POST", `${API}/composite/tree/:object`, (exchange) => createTree(org(), exchange));
}

function answerComposite(org: Org, exchange: SandboxExchange, dispatch: Dispatch): SandboxAnswer {
  const body = parseBody(exchange.body);
  const requests = asList(body["compositeRequest"]).map((request) => asData(request));
  if (requests.length === 0)
    throw refuse(400, "REQUIRED_FIELD_MISSING", "compositeRequest must hold at least one request");
  if (requests.length > MAX_REQUESTS) {
    throw refuse(400, "LIMIT_EXCEEDED", `The number of subrequests exceeds the limit of ${MAX_REQUESTS}`);
  }
  requests.forEach(refuseInherited);
  const allOrNone = body["allOrNone"] === true;
  const bodies = new Map<string, unknown>();
  const parts: Data[] = [];
  const run = (): boolean => {
    for (const request of requests) {
      const referenceId = asText(request["referenceId"]) ?? "";
      const answered = answerPart(request, exchange, bodies, dispatch);
      if (answered.status < 300) bodies.set(referenceId, answered.body ?? null);
      const httpHeaders = answered.headers ?? {};
      parts.push({ body: answered.body ?? null, httpHeaders, httpStatusCode: answered.status, referenceId });
      if (allOrNone && answered.status >= 400) return false;
    }
    return true;
  };
  const kept = allOrNone ? org.atomically(run) : run();
  return { status: 200, body: { compositeResponse: kept ? parts : buildHalted(requests, parts) } };
}

/**
 * Refuses a request in which a part names an inherited header: it fails as a whole with 400 (REST API Developer Guide,
 * Composite Subrequest).
 */
function refuseInherited(request: Data): void {
  const named = Object.keys(asData(request["httpHeaders"])).find((name) =>
    ["accept", "authorization", "content-type"].includes(name.toLowerCase()),
  );
  if (named !== undefined)
    throw refuse(400, "INVALID_HTTP_HEADER", `The header ${named} cannot be specified in a subrequest`);
}

/** Builds the results of a failure with all-or-none, in which only the cause keeps its error. */
function buildHalted(requests: Data[], parts: Data[]): Data[] {
  const message = "The transaction was rolled back since another operation in the same transaction failed.";
  return requests.map((request, i) => {
    const part = parts[i];
    if (part !== undefined && i === parts.length - 1) return part;
    const body = [{ errorCode: "PROCESSING_HALTED", message }];
    return { body, httpHeaders: {}, httpStatusCode: 400, referenceId: asText(request["referenceId"]) ?? "" };
  });
}

function answerPart(
  request: Data,
  outer: SandboxExchange,
  bodies: Map<string, unknown>,
  dispatch: Dispatch,
): SandboxAnswer {
  let resolved: unknown;
  try {
    resolved = resolveReferences(request, bodies);
  } catch (error) {
    if (error instanceof Refused) return error.answer;
    throw error;
  }
  const { method, url, body, httpHeaders } = asData(resolved);
  return dispatch(
    buildExchange(outer, asText(method) ?? "GET", asText(url) ?? "", body, asData(httpHeaders)),
  );
}

function buildExchange(
  outer: SandboxExchange,
  method: string,
  url: string,
  body: unknown,
  headers: Data,
): SandboxExchange {
  const [path = "", query = ""] = url.split("?");
  const own = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), asText(value) ?? ""]);
  return {
    method: method.toUpperCase(),
    path: path.startsWith("/services/") ? path : `/services/data/${path.replace(/^\//, "")}`,
    query: new URLSearchParams(query),
    headers: { ...outer.headers, ...Object.fromEntries(own) },
    body: body === undefined || body === null ? "" : typeof body === "string" ? body : JSON.stringify(body),
    params: {},
    lineBytes: 0,
    headerBytes: 0,
  };
}

const REFERENCE = /@\{([^}]+)\}/g;

/** Replaces `@{ref.id}` and `@{ref.records[0].Id}` in every string. */
function resolveReferences(value: unknown, bodies: Map<string, unknown>): unknown {
  if (typeof value === "string")
    return value.replace(REFERENCE, (_text, path: string) => findReferenced(path, bodies));
  if (Array.isArray(value)) return value.map((item) => resolveReferences(item, bodies));
  if (!isData(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, resolveReferences(item, bodies)]),
  );
}

function findReferenced(path: string, bodies: Map<string, unknown>): string {
  const [name = "", ...steps] = path.replace(/\[(\d+)\]/g, ".$1").split(".");
  let value = bodies.get(name);
  for (const step of steps) value = Array.isArray(value) ? value[Number(step)] : asData(value)[step];
  const text = asText(value);
  if (text === undefined) {
    const message = `Invalid reference specified. No value for ${path} found in ${name}`;
    throw refuse(400, "PROCESSING_HALTED", message);
  }
  return text;
}

function answerBatch(exchange: SandboxExchange, dispatch: Dispatch): SandboxAnswer {
  const body = parseBody(exchange.body);
  const requests = asList(body["batchRequests"]).map((request) => asData(request));
  if (requests.length === 0 || requests.length > MAX_REQUESTS) {
    throw refuse(400, "LIMIT_EXCEEDED", `batchRequests must hold 1 to ${MAX_REQUESTS} requests`);
  }
  const results: Data[] = [];
  let hasErrors = false;
  for (const request of requests) {
    const skipped = hasErrors && body["haltOnError"] === true;
    const answered = skipped
      ? buildErrorAnswer(412, "BATCH_PROCESSING_HALTED", "Batch processing halted per request")
      : dispatch(
          buildExchange(
            exchange,
            asText(request["method"]) ?? "GET",
            asText(request["url"]) ?? "",
            request["richInput"],
            {},
          ),
        );
    if (answered.status >= 400) hasErrors = true;
    results.push({ statusCode: answered.status, result: answered.body ?? null });
  }
  return { status: 200, body: { hasErrors, results } };
}

/** Creates records of a tree: flat ones only, and always all or none. */
function createTree(org: Org, exchange: SandboxExchange): SandboxAnswer {
  const store = findStore(org, exchange.params["object"] ?? "");
  const records = asList(parseBody(exchange.body)["records"]).map((record) => asData(record));
  const results: Data[] = [];
  const failures: Data[] = [];
  const kept = org.atomically(() => {
    for (const record of records) {
      const referenceId = asText(asData(record["attributes"])["referenceId"]) ?? "";
      const saved = insertRecord(org, store, record, readDuplicateHeader(exchange));
      if ("id" in saved) results.push({ referenceId, id: saved.id });
      else {
        const errors = saved.errors.map(({ code, message, fields }) => ({
          statusCode: code,
          message,
          fields: fields ?? [],
        }));
        failures.push({ referenceId, errors });
      }
    }
    return failures.length === 0;
  });
  return { status: kept ? 201 : 400, body: { hasErrors: !kept, results: kept ? results : failures } };
}
