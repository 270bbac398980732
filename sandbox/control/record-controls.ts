// Controls of records: generate many with chosen change times, archive, merge, purge, and list all as NDJSON.

import { asData, asList, asText, isData, parseJson, type Data, type SandboxExchange } from "../exchange.ts";
import type { GenerateSpec, LinkedRun, Provider, RecordInput } from "../provider.ts";
import type { Router } from "../router.ts";

/** Finds the provider that a request names. */
type FindProvider = (name: unknown) => Provider;

const MAX_GENERATED = 5_000_000;

export function addRecordRoutes(router: Router, findProvider: FindProvider, now: () => number): void {
  router.add("GET", "/sandbox/records", ({ query }) => {
    const provider = findProvider(query.get("provider"));
    const object = query.get("object");
    if (object === null) return { status: 200, body: { objects: provider.objects() } };
    return { status: 200, body: { records: provider.records(object) } };
  });
  router.add("GET", "/sandbox/records/dump", ({ query }) => {
    const { account } = findProvider(query.get("provider"));
    const records = account.dump(query.get("object") ?? "", query.get("deleted") === "true");
    const fields = query.get("fields")?.split(",");
    return {
      status: 200,
      headers: { "content-type": "application/x-ndjson" },
      lines: printLines(records, fields),
    };
  });
  router.add("POST", "/sandbox/records", (exchange) => {
    const { body, provider, object } = parseRequest(exchange, findProvider);
    const inputs = asList(body["records"]).map((record) => readRecordInput(asData(record)));
    return { status: 200, body: { ids: inputs.map((input) => provider.account.put(object, input)) } };
  });
  router.add("POST", "/sandbox/records/generate", (exchange) => {
    const { body, provider, object } = parseRequest(exchange, findProvider);
    return { status: 201, body: provider.account.generate(object, readGenerateSpec(body, now())) };
  });
  for (const name of ["archive", "restore", "purge"] as const) {
    router.add("POST", `/sandbox/records/${name}`, (exchange) => {
      const { body, provider, object } = parseRequest(exchange, findProvider);
      for (const id of readTexts(body, "ids")) provider.account[name](object, id);
      return { status: 204 };
    });
  }
  router.add("POST", "/sandbox/records/merge", (exchange) => {
    const { body, provider, object } = parseRequest(exchange, findProvider);
    provider.account.merge(object, asText(body["winner"]) ?? "", readTexts(body, "losers"));
    return { status: 204 };
  });
}

function parseRequest(
  exchange: SandboxExchange,
  findProvider: FindProvider,
): { body: Data; provider: Provider; object: string } {
  const body = asData(parseJson(exchange.body));
  return { body, provider: findProvider(body["provider"]), object: asText(body["object"]) ?? "" };
}

function readTexts(body: Data, name: string): string[] {
  const list = body[name];
  if (!Array.isArray(list)) throw new RangeError(`${name} must be a list of ids`);
  return list.map((item) => asText(item) ?? "");
}

function readRecordInput(input: Data): RecordInput {
  const id = asText(input["id"]);
  const changedAt = readTime(input, "changedAt");
  return {
    values: readPlain(input["values"]),
    stamp: input["stamp"] !== false,
    ...(id === undefined ? {} : { id }),
    ...(changedAt === undefined ? {} : { changedAt }),
  };
}

/** Reads what to generate. Without a change time, the records were all changed now. */
function readGenerateSpec(body: Data, now: number): GenerateSpec {
  const count = Number(body["count"]);
  if (!Number.isInteger(count) || count < 1 || count > MAX_GENERATED) {
    throw new RangeError(`count must be a whole number from 1 to ${MAX_GENERATED}`);
  }
  const at = readTime(body, "changedAt");
  const changedFrom = readTime(body, "changedFrom") ?? at ?? now;
  const changedTo = readTime(body, "changedTo") ?? at ?? Math.max(now, changedFrom);
  if (changedTo < changedFrom) throw new RangeError("changedTo must not be before changedFrom");
  const linked = asList(body["linked"]).map((item) => readLinkedRun(asData(item)));
  return { count, changedFrom, changedTo, values: readPlain(body["values"]), linked };
}

function readLinkedRun(input: Data): LinkedRun {
  const [object = "", firstId = "", field] = ["object", "firstId", "field"].map((name) =>
    asText(input[name]),
  );
  const count = Number(input["count"] ?? 1);
  if (!Number.isInteger(count) || count < 1)
    throw new RangeError("linked.count must be a whole number from 1");
  return { object, firstId, count, ...(field === undefined ? {} : { field }) };
}

function readPlain(input: unknown): GenerateSpec["values"] {
  if (input !== undefined && !isData(input)) throw new RangeError("values must be an object");
  const values: GenerateSpec["values"] = {};
  for (const [name, value] of Object.entries(asData(input))) {
    if (value === null || typeof value === "number" || typeof value === "boolean") values[name] = value;
    else if (typeof value === "string") values[name] = value;
    else throw new RangeError(`values.${name} must be a text, a number, true, false or null`);
  }
  return values;
}

/** Reads a time: ISO text or milliseconds since 1970. */
export function readTime(body: Data, name: string): number | undefined {
  const value = body[name];
  if (value === undefined) return undefined;
  const at = typeof value === "number" ? value : typeof value === "string" ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(at)) throw new RangeError(`${name} must be an ISO time or milliseconds since 1970`);
  return at;
}

function* printLines(records: Iterable<Data>, fields: string[] | undefined): Generator<string> {
  for (const record of records) {
    const values = asData(record["values"]);
    const shown =
      fields === undefined
        ? record
        : { ...record, values: Object.fromEntries(fields.map((name) => [name, values[name] ?? null])) };
    yield `${JSON.stringify(shown)}\n`;
  }
}
