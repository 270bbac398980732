// Alters a provider's page into a faulty one: repeated ids, endless cursors, wrong types, 100 MB.

import { asData, isData, type Data, type SandboxAnswer } from "../exchange.ts";

export const ALTERATIONS = [
  "repeated_id",
  "endless_cursor",
  "huge",
  "wrong_types",
  "wrong_shape",
  "field_gone",
] as const;

export type Alteration = (typeof ALTERATIONS)[number];

/** Part of a fault that says how a page is altered. */
type Altering = { alter?: Alteration; field?: string; bytes?: number };

const HUGE_BYTES = 100 * 1000 * 1000;

/** Page that an endless cursor returns again and again, by fault. */
const endless = new WeakMap<Altering, { page: SandboxAnswer; pages: number }>();

export function alterAnswer(fault: Altering, answer: SandboxAnswer): SandboxAnswer {
  switch (fault.alter) {
    case "endless_cursor":
      return repeatPage(fault, answer);
    case "huge":
      return isPage(answer.body) ? enlargePage(answer, fault.bytes ?? HUGE_BYTES) : answer;
    case undefined:
      return answer;
    default:
      return isPage(answer.body)
        ? withBody(answer, alterBody(fault.alter, answer.body, fault.field))
        : answer;
  }
}

/** Returns whether the body is a page: HubSpot's have `results`, Salesforce's `records`. */
function isPage(body: unknown): body is Data {
  return Array.isArray(asData(body)["results"]) || Array.isArray(asData(body)["records"]);
}

function withBody(answer: SandboxAnswer, body: unknown): SandboxAnswer {
  return { ...answer, body };
}

function alterBody(alter: Alteration, body: Data, field: string | undefined): Data {
  const name = Array.isArray(body["results"]) ? "results" : "records";
  const list = body[name];
  const records: unknown[] = Array.isArray(list) ? list : [];
  switch (alter) {
    case "repeated_id":
      return {
        ...body,
        [name]: records.length < 2 ? [...records, ...records] : [...records.slice(0, -1), records[0]],
      };
    case "wrong_types":
      return { ...body, [name]: records.map((record, i) => breakRecord(record, i)) };
    case "wrong_shape":
      return { ...body, [name]: { "0": records[0] ?? null }, done: "no", paging: 7, totalSize: "many" };
    default:
      return { ...body, [name]: records.map((record) => removeField(record, field ?? "")) };
  }
}

function breakRecord(record: unknown, i: number): unknown {
  const wrong = [null, "record", 42, [], { ...asData(record), id: 7, Id: { a: 1 }, properties: [] }];
  return wrong[i % wrong.length];
}

function removeField(record: unknown, field: string): unknown {
  if (!isData(record)) return record;
  const { [field]: _own, ...rest } = record;
  if (!isData(rest["properties"])) return rest;
  const { [field]: _property, ...properties } = rest["properties"];
  return { ...rest, properties };
}

/** Returns the first page for every cursor, each time with a new cursor. */
function repeatPage(fault: Altering, answer: SandboxAnswer): SandboxAnswer {
  const known = endless.get(fault);
  if (known === undefined && !isPage(answer.body)) return answer;
  const state = known ?? { page: answer, pages: 0 };
  state.pages++;
  endless.set(fault, state);
  const body = asData(state.page.body);
  const after = Buffer.from(`endless ${state.pages}\n`).toString("base64");
  const locator = `/services/data/v60.0/query/0r8SbENDLESS000AAA-${state.pages * 2000}`;
  const next =
    body["records"] === undefined
      ? { paging: { next: { after } } }
      : { done: false, nextRecordsUrl: locator };
  return withBody(state.page, { ...body, ...next });
}

const FILLER = "x".repeat(1_000_000);

/** Adds a member of this size, sent in pieces. */
function enlargePage(answer: SandboxAnswer, bytes: number): SandboxAnswer {
  const { body, ...rest } = answer;
  const text = JSON.stringify(body);
  const headers = { ...rest.headers, "content-type": "application/json;charset=UTF-8" };
  return { ...rest, headers, lines: yieldPieces(text, bytes) };
}

function* yieldPieces(text: string, bytes: number): Generator<string> {
  yield `${text.slice(0, -1)},"padding":"`;
  for (let left = bytes; left > 0; left -= FILLER.length) yield FILLER.slice(0, left);
  yield '"}';
}
