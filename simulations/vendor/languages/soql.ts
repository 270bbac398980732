/** Salesforce's query language, as far as connectors need it: one object, comparisons joined by AND, lists of children. */
import { isJsonObject, type Json, type JsonObject } from "../../../ground/json.ts";
import { getValueAt } from "../../../connector-kit/calls/get-text-at.ts";
import type { ListOrder } from "../vendor-order.ts";
import type { VendorRecord } from "../vendor-records.ts";
import { readText, type VendorRequest } from "../vendor-request.ts";
import {
  COMPARE,
  listKnownFields,
  showAsked,
  findTimeField,
  buildTimeTest,
  type Asked,
  type VendorQuery,
} from "./asked.ts";

const TOKEN =
  /\s*(?:('(?:[^'\\]|\\[nNrRtTbBfF"'\\_%])*')|(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d))|([A-Za-z_][A-Za-z0-9_.]*)|(-?\d+(?:\.\d+)?)|(>=|<=|!=|[=<>(),]))/y;

interface Token {
  kind: "text" | "time" | "word" | "number" | "sign";
  text: string;
}

interface Comparison {
  field: string;
  operator: string;
  values: Token[];
}

interface SoqlQuery {
  fields: string[];
  children: SoqlQuery[];
  isCount: boolean;
  from: string;
  where: Comparison[];
  orderBy?: { field: string; isDescending: boolean };
  limit?: number;
}

class Malformed extends Error {}

/** Parses a query. Throws `Malformed` for what Salesforce would not understand. */
function parseSoql(text: string): SoqlQuery {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.trimEnd().length) {
    const start = TOKEN.lastIndex;
    const found = TOKEN.exec(text);
    if (!found) throw new Malformed(`unexpected token at ${text.slice(start, start + 20)}`);
    const kinds = ["text", "time", "word", "number", "sign"] as const;
    const index = kinds.findIndex((_, place) => found[place + 1] !== undefined);
    tokens.push({ kind: kinds[index] ?? "sign", text: found[index + 1] ?? "" });
  }
  const reader = new SoqlReader(tokens);
  const query = reader.query();
  if (!reader.isAtEnd) throw new Malformed(`unexpected token ${reader.next().text}`);
  return query;
}

class SoqlReader {
  private place = 0;
  private readonly tokens: Token[];

  constructor(tokens: Token[]) {
    this.tokens = tokens;
  }

  get isAtEnd(): boolean {
    return this.place >= this.tokens.length;
  }

  next(): Token {
    const token = this.tokens[this.place++];
    if (!token) throw new Malformed("unexpected end of the query");
    return token;
  }

  private is(word: string): boolean {
    return this.tokens[this.place]?.text.toUpperCase() === word;
  }

  private take(...words: string[]): void {
    for (const word of words)
      if (!this.is(word)) throw new Malformed(`expected ${word}`);
      else this.place += 1;
  }

  private name(): string {
    const { kind, text } = this.next();
    if (kind !== "word") throw new Malformed(`unexpected token ${text}`);
    return text;
  }

  query(): SoqlQuery {
    const query: SoqlQuery = { fields: [], children: [], isCount: false, from: "", where: [] };
    this.take("SELECT");
    do {
      if (this.is("(")) {
        this.take("(");
        query.children.push(this.query());
        this.take(")");
      } else {
        const field = this.name();
        if (field.toUpperCase() === "COUNT" && this.is("(")) {
          this.take("(", ")");
          query.isCount = true;
        } else query.fields.push(field);
      }
    } while (this.comma());
    this.take("FROM");
    query.from = this.name();
    if (this.is("WHERE")) {
      do {
        this.place += 1;
        query.where.push(this.comparison());
      } while (this.is("AND"));
    }
    if (this.is("ORDER")) {
      this.take("ORDER", "BY");
      query.orderBy = { field: this.name(), isDescending: this.is("DESC") };
      if (this.is("ASC") || this.is("DESC")) this.place += 1;
    }
    if (this.is("LIMIT")) {
      this.take("LIMIT");
      query.limit = Number(this.next().text);
      if (!Number.isInteger(query.limit)) throw new Malformed("LIMIT is a number");
    }
    return query;
  }

  private comma(): boolean {
    if (!this.is(",")) return false;
    this.place += 1;
    return true;
  }

  private comparison(): Comparison {
    const field = this.name();
    const operator = this.next().text.toUpperCase();
    if (operator !== "IN") return { field, operator, values: [this.next()] };
    const values: Token[] = [];
    this.take("(");
    do values.push(this.next());
    while (this.comma());
    this.take(")");
    return { field, operator, values };
  }
}

/** Returns what a query requests, or why the vendor refuses it. */
export function readSoql(asked: Asked, request: VendorRequest): VendorQuery | string {
  try {
    const query = parseSoql(readText(request, "query.q") ?? "");
    const known = listKnownFields(asked);
    const fieldFault = query.fields.find((name) => !known.has(name)) ?? findChildFault(asked, query);
    if (fieldFault !== undefined) return `No such column '${fieldFault}' on entity '${query.from}'`;
    const bounds: number[] = [];
    const tests = query.where.map((one) => buildTest(asked, one, known, bounds));
    const order = readOrder(asked, query, known);
    return {
      matches: (record) => tests.every((test) => test(record)),
      order,
      isCount: query.isCount,
      ...(query.limit !== undefined && { most: query.limit }),
      ...(bounds.length > 0 && { boundMs: Math.min(...bounds) }),
      ...(!query.isCount && { show: (record: VendorRecord) => pickColumns(asked, record, query) }),
    };
  } catch (error) {
    if (error instanceof Malformed) return error.message;
    throw error;
  }
}

/** Returns a field that the children lack, or a relation that does not exist. */
function findChildFault({ records }: Asked, { children }: SoqlQuery): string | undefined {
  for (const { from, fields } of children) {
    const linked = records.flatMap(({ links }) => links?.[from] ?? []);
    if (records.some(({ links }) => links) && linked.length === 0) return from;
    const strange = fields.find((name) =>
      linked.some((one) => !isJsonObject(one) || !Object.hasOwn(one, name)),
    );
    if (strange !== undefined) return strange;
  }
  return undefined;
}

function readOrder(asked: Asked, { orderBy, isCount }: SoqlQuery, known: Set<string>): ListOrder {
  if (!orderBy) return isCount ? "id" : (asked.fact.sort?.default ?? "unknown");
  if (!known.has(orderBy.field)) throw new Malformed(`No such column '${orderBy.field}'`);
  const by = orderBy.field === asked.fact.language?.id ? "id" : findTimeField(asked, orderBy.field);
  if (by === undefined) return "other";
  return orderBy.isDescending ? `${by}-desc` : by;
}

type Test = (record: VendorRecord) => boolean;

function buildTest(
  asked: Asked,
  { field, operator, values }: Comparison,
  known: Set<string>,
  bounds: number[],
): Test {
  if (!known.has(field)) throw new Malformed(`No such column '${field}'`);
  if (!asked.fact.language?.operators.includes(operator)) throw new Malformed(`unexpected token ${operator}`);
  const [first] = values;
  if (!first) throw new Malformed("a value is missing");
  const time = findTimeField(asked, field);
  if (time) {
    if (first.kind !== "time")
      throw new Malformed(`value of filter criterion for ${field} must be of type dateTime`);
    const test = buildTimeTest(time, operator, first.text, "rfc3339");
    if (!test) throw new Malformed(`unexpected token ${operator}`);
    if (time === "changed" && operator.startsWith(">")) bounds.push(Date.parse(first.text));
    return test;
  }
  const wanted = values.map((value) => readLiteral(value));
  if (field === asked.fact.language?.id) return buildIdTest(operator, wanted);
  if (operator === "IN") return (record) => wanted.includes(readField(asked, record, field));
  const compare = COMPARE[operator];
  if (!compare) throw new Malformed(`unexpected token ${operator}`);
  return (record) => {
    const own = readField(asked, record, field);
    const [other = ""] = wanted;
    if (own === null || other === null)
      return compare(own === other ? 0 : 1) && operator !== ">" && operator !== "<";
    return compare(own < other ? -1 : own > other ? 1 : 0);
  };
}

/** Builds the test of an id. Ids are equal if their first fifteen characters are. */
function buildIdTest(operator: string, wanted: (string | null)[]): Test {
  const short = wanted.map((value) => {
    if (value === null || !/^[A-Za-z0-9]{15}(?:[A-Za-z0-9]{3})?$/.test(value))
      throw new Malformed(`invalid ID field: ${value}`);
    return value.slice(0, 15);
  });
  if (operator === "IN") return ({ id }) => short.includes(id.slice(0, 15));
  const compare = COMPARE[operator];
  const [other = ""] = short;
  if (!compare) throw new Malformed(`unexpected token ${operator}`);
  return ({ id }) => compare(id.slice(0, 15) < other ? -1 : id.slice(0, 15) > other ? 1 : 0);
}

const ESCAPES: Record<string, string> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" };

function readLiteral({ kind, text }: Token): string | null {
  if (kind === "text")
    return text
      .slice(1, -1)
      .replaceAll(/\\(.)/g, (_, letter: string) => ESCAPES[letter.toLowerCase()] ?? letter);
  if (kind === "word" && !/^(true|false|null)$/i.test(text)) throw new Malformed(`unexpected token ${text}`);
  return text.toLowerCase() === "null" ? null : text.toLowerCase();
}

function readField(asked: Asked, record: VendorRecord, field: string): string | null {
  const value = getValueAt(showAsked(asked, record), field);
  return value === undefined || value === null ? null : String(value);
}

/** Shows the fields that the query names, and children as answers within the answer. */
function pickColumns(asked: Asked, record: VendorRecord, { fields, children, from }: SoqlQuery): JsonObject {
  const whole = showAsked(asked, record);
  const one: JsonObject = {
    attributes: { type: from, url: `/services/data/v60.0/sobjects/${from}/${record.id}` },
  };
  for (const field of fields) one[field] = getValueAt(whole, field) ?? null;
  for (const child of children) one[child.from] = listChildren(asked, record, child);
  return one;
}

/** Maximum number of children in the answer; the others are at an address of their own. */
const CHILDREN = 2;

function listChildren({ keepPage }: Asked, { links }: VendorRecord, child: SoqlQuery): Json {
  const all = (links?.[child.from] ?? []).filter(
    (linked) => !child.where.some((one) => !fitsChild(one, linked)),
  );
  if (all.length === 0) return null;
  const linkedRecords = all.map((linked) => showChild(child, linked));
  const counts = { totalSize: all.length };
  if (all.length <= CHILDREN) return { ...counts, done: true, records: linkedRecords };
  const nextRecordsUrl = keepPage({ ...counts, done: true, records: linkedRecords.slice(CHILDREN) });
  return { ...counts, done: false, nextRecordsUrl, records: linkedRecords.slice(0, CHILDREN) };
}

/** Compares a child by texts. */
const fitsChild = ({ field, values }: Comparison, linked: Json): boolean =>
  String(getValueAt(linked, field) ?? false) === String(values[0]?.text).replaceAll("'", "");

const showChild = ({ fields }: SoqlQuery, linked: Json): JsonObject => {
  const values: JsonObject = isJsonObject(linked) ? linked : {};
  return Object.fromEntries(fields.map((field) => [field, values[field] ?? null]));
};
