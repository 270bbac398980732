// Parses the supported part of SOQL; other texts are a MALFORMED_QUERY.

import { refuse } from "./errors.ts";

export type Literal =
  | { kind: "string" | "date" | "datetime"; text: string }
  | { kind: "number"; number: number }
  | { kind: "boolean"; boolean: boolean }
  | { kind: "null" };

export type Condition =
  | { kind: "and"; parts: Condition[] }
  | { kind: "or"; parts: Condition[] }
  | { kind: "not"; part: Condition }
  | { kind: "compare"; path: string; operator: string; values: Literal[] };

export type Order = { path: string; descending: boolean; nullsLast: boolean };

export type Query = {
  /** Field paths as written; FIELDS(ALL) and similar functions in capitals. */
  select: string[];
  /** Sub-queries, whose FROM names a child relationship. */
  children: Query[];
  count: boolean;
  from: string;
  where: Condition | undefined;
  order: Order[];
  limit: number | undefined;
  offset: number;
};

type Token = { text: string; at: number };

const TOKEN =
  /\s*('(?:\\.|[^'\\])*'|\d{4}-\d{2}-\d{2}(?:T[\d:.]+(?:Z|[+-]\d{2}:?\d{2}))?|-?\d+(?:\.\d+)?|[A-Za-z_][\w.]*|<=|>=|!=|<>|[=<>(),])/y;

const MAX_CHARACTERS = 100_000;
const MAX_CHILDREN = 20;

export function parseSoql(text: string): Query {
  if (text.length > MAX_CHARACTERS) {
    const what = `SOQL statements cannot be longer than ${MAX_CHARACTERS} characters`;
    throw refuse(400, "MALFORMED_QUERY", what);
  }
  return new Parser(text).query();
}

class Parser {
  readonly #text: string;
  readonly #tokens: Token[];
  #position = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = splitTokens(text);
  }

  query(): Query {
    const query = this.#statement(true);
    if (this.#peek() !== undefined) throw this.#unexpected();
    return query;
  }

  #statement(outer: boolean): Query {
    this.#expect("SELECT");
    const { select, children, count } = this.#selection(outer);
    this.#expect("FROM");
    const from = this.#name();
    const where = this.#accept("WHERE") ? this.#either() : undefined;
    const order = this.#accept("ORDER") ? this.#ordering() : [];
    const limit = this.#accept("LIMIT") ? this.#wholeNumber() : undefined;
    const offset = this.#accept("OFFSET") ? this.#wholeNumber() : 0;
    return { select, children, count, from, where, order, limit, offset };
  }

  /** Parses the selection; a sub-query has no sub-queries of its own. */
  #selection(outer: boolean): { select: string[]; children: Query[]; count: boolean } {
    const select: string[] = [];
    const children: Query[] = [];
    do {
      if (outer && this.#accept("(")) {
        children.push(this.#statement(false));
        if (children.length > MAX_CHILDREN) throw this.#unexpected(-1);
        this.#expect(")");
        continue;
      }
      const name = this.#name();
      if (!this.#accept("(")) {
        select.push(name);
        continue;
      }
      if (name.toUpperCase() === "COUNT" && this.#accept(")"))
        return { select: [], children: [], count: true };
      if (name.toUpperCase() !== "FIELDS") throw this.#unexpected();
      select.push(`FIELDS(${this.#name().toUpperCase()})`);
      this.#expect(")");
    } while (this.#accept(","));
    return { select, children, count: false };
  }

  #either(): Condition {
    const first = this.#both();
    if (!this.#is("OR")) return first;
    const parts = [first];
    while (this.#accept("OR")) parts.push(this.#single());
    if (this.#is("AND")) throw this.#unexpected();
    return { kind: "or", parts };
  }

  /** Parses conditions joined by AND. Together with OR, they need parentheses. */
  #both(): Condition {
    const parts = [this.#single()];
    while (this.#accept("AND")) parts.push(this.#single());
    if (parts.length > 1 && this.#is("OR")) throw this.#unexpected();
    const [only] = parts;
    return parts.length === 1 && only !== undefined ? only : { kind: "and", parts };
  }

  #single(): Condition {
    if (this.#accept("NOT")) return { kind: "not", part: this.#single() };
    if (this.#accept("(")) {
      const inner = this.#either();
      this.#expect(")");
      return inner;
    }
    const path = this.#name();
    const negated = this.#accept("NOT");
    const operator = (negated ? "NOT " : "") + this.#next().toUpperCase();
    if (!OPERATORS.has(operator)) throw this.#unexpected(-1);
    const many = operator.endsWith("IN") || operator.endsWith("CLUDES");
    const values = many ? this.#list() : [this.#literal()];
    return { kind: "compare", path, operator: operator === "<>" ? "!=" : operator, values };
  }

  #list(): Literal[] {
    this.#expect("(");
    const values = [this.#literal()];
    while (this.#accept(",")) values.push(this.#literal());
    this.#expect(")");
    return values;
  }

  #literal(): Literal {
    const text = this.#next();
    if (text.startsWith("'")) return { kind: "string", text: unescapeText(text.slice(1, -1)) };
    if (/^\d{4}-\d{2}-\d{2}T/.test(text)) return { kind: "datetime", text };
    if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return { kind: "date", text };
    if (/^-?\d/.test(text)) return { kind: "number", number: Number(text) };
    if (/^(true|false)$/i.test(text)) return { kind: "boolean", boolean: text.toLowerCase() === "true" };
    if (/^null$/i.test(text)) return { kind: "null" };
    throw this.#unexpected(-1);
  }

  #ordering(): Order[] {
    this.#expect("BY");
    const order: Order[] = [];
    do {
      const path = this.#name();
      const descending = this.#accept("DESC");
      if (!descending) this.#accept("ASC");
      let nullsLast = false;
      if (this.#accept("NULLS")) {
        nullsLast = this.#accept("LAST");
        if (!nullsLast) this.#expect("FIRST");
      }
      order.push({ path, descending, nullsLast });
    } while (this.#accept(","));
    return order;
  }

  #wholeNumber(): number {
    const text = this.#next();
    if (!/^\d+$/.test(text)) throw this.#unexpected(-1);
    return Number(text);
  }

  #name(): string {
    const text = this.#next();
    if (!/^[A-Za-z_]/.test(text) || RESERVED.has(text.toUpperCase())) throw this.#unexpected(-1);
    return text;
  }

  #peek(): string | undefined {
    return this.#tokens[this.#position]?.text;
  }

  #is(word: string): boolean {
    return this.#peek()?.toUpperCase() === word;
  }

  #accept(word: string): boolean {
    if (!this.#is(word)) return false;
    this.#position++;
    return true;
  }

  #expect(word: string): void {
    if (!this.#accept(word)) throw this.#unexpected();
  }

  #next(): string {
    const text = this.#peek();
    if (text === undefined) throw this.#unexpected();
    this.#position++;
    return text;
  }

  #unexpected(shift = 0): Error {
    const token = this.#tokens[this.#position + shift];
    if (token === undefined)
      return buildMalformed(this.#text, this.#text.length, "unexpected token: '<EOF>'");
    return buildMalformed(this.#text, token.at, `unexpected token: '${token.text}'`);
  }
}

const OPERATORS = new Set([
  "=",
  "!=",
  "<>",
  "<",
  ">",
  "<=",
  ">=",
  "LIKE",
  "IN",
  "NOT IN",
  "INCLUDES",
  "EXCLUDES",
]);
const RESERVED = new Set(["SELECT", "FROM", "WHERE", "AND", "OR", "ORDER", "LIMIT", "OFFSET", "IN", "LIKE"]);

function splitTokens(text: string): Token[] {
  const tokens: Token[] = [];
  const end = text.trimEnd().length;
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < end) {
    const from = TOKEN.lastIndex;
    const match = TOKEN.exec(text);
    if (match?.[1] === undefined)
      throw buildMalformed(text, from, `unexpected character: '${text.slice(from).trim().charAt(0)}'`);
    tokens.push({ text: match[1], at: from + match[0].length - match[1].length });
  }
  return tokens;
}

function unescapeText(text: string): string {
  return text.replace(/\\(.)/g, (_all, char: string) => ({ n: "\n", r: "\r", t: "\t" })[char] ?? char);
}

function buildMalformed(text: string, at: number, what: string): Error {
  return refuse(400, "MALFORMED_QUERY", `${describePlace(text, at)}\n${what}`);
}

/** Returns the lines that Salesforce puts before the explanation of a query error. */
export function describePlace(text: string, at: number): string {
  const shown = text.slice(Math.max(0, at - 30), at + 20);
  return `\n${shown}\n${" ".repeat(Math.min(30, at))}^\nERROR at Row:1:Column:${at + 1}`;
}
