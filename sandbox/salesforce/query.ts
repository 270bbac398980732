// Query endpoints: SOQL in, pages of records out.

import { readHeader, type Data, type SandboxExchange } from "../exchange.ts";
import type { Router } from "../router.ts";
import type { Org } from "./org.ts";
import { QueryCursors, type Cursor } from "./query-cursors.ts";
import { API, type OrgSource } from "./sobjects.ts";
import { parseSoql } from "./soql-parse.ts";
import { runQuery } from "./soql-run.ts";

const DEFAULT_PAGE = 2000;

export function addQueryRoutes(router: Router, org: OrgSource): void {
  let owner: Org | undefined;
  let cursors = new QueryCursors(org().settings);
  /** Returns the cursors. A reset creates a new organisation, with new locators. */
  const getCursors = (): QueryCursors => {
    if (owner !== org()) cursors = new QueryCursors(org().settings);
    owner = org();
    return cursors;
  };
  for (const kind of ["query", "queryAll"]) {
    router.add("GET", `${API}/${kind}`, (exchange) => {
      const text = exchange.query.get("q") ?? "";
      const query = parseSoql(text);
      const found = runQuery(org(), query, text, kind === "queryAll");
      if (query.count) return { status: 200, body: { totalSize: found.total, done: true, records: [] } };
      const pages = new Pages(org(), getCursors(), exchange, kind);
      return { status: 200, body: pages.page({ found, children: [] }, undefined, 0) };
    });
    router.add("GET", `${API}/${kind}/:locator`, (exchange) => {
      const { cursor, name, start } = getCursors().find(exchange.params["locator"] ?? "");
      return { status: 200, body: new Pages(org(), getCursors(), exchange, kind).page(cursor, name, start) };
    });
  }
}

/** Builds the pages of one request. */
class Pages {
  readonly #org: Org;
  readonly #cursors: QueryCursors;
  readonly #version: string;
  readonly #kind: string;
  readonly #size: number;

  constructor(org: Org, cursors: QueryCursors, exchange: SandboxExchange, kind: string) {
    this.#org = org;
    this.#cursors = cursors;
    this.#version = exchange.params["version"] ?? "v60.0";
    this.#kind = kind;
    this.#size = readPageSize(exchange);
  }

  /** Returns a page, and closes the locators of children on earlier pages. */
  page(cursor: Cursor, name: string | undefined, start: number): Data {
    const { found, children } = cursor;
    for (const child of children.splice(0)) this.#cursors.close(child);
    const { pageCharacters } = this.#org.settings;
    const last = Math.min(found.total, start + this.#size);
    const records: Data[] = [];
    let end = start;
    for (let characters = 0; end < last; end++) {
      const record = found.record(end);
      if (record === undefined) continue;
      const shown = found.show(record, this.#version);
      for (const child of found.children) shown[child.name] = this.#childPage(cursor, child, record.id);
      if (pageCharacters < Number.MAX_SAFE_INTEGER) characters += JSON.stringify(shown).length;
      if (characters > pageCharacters && records.length > 0) break;
      records.push(shown);
    }
    const body: Data = { totalSize: found.total, done: end >= found.total, records };
    if (end >= found.total) return body;
    const locator = name ?? this.#cursors.open(cursor);
    return { ...body, nextRecordsUrl: this.#url(locator, end) };
  }

  #childPage(cursor: Cursor, child: Cursor["found"]["children"][number], parentId: string): Data | null {
    const keys = child.keys(parentId);
    if (keys.length === 0) return null;
    const found = {
      total: keys.length,
      record: (place: number) => child.record(keys[place] ?? -1),
      show: child.show,
      children: [],
    };
    const size = Math.min(keys.length, this.#org.settings.childPage);
    const shown = Array.from({ length: size }, (_, place) => found.record(place)).flatMap((record) =>
      record === undefined ? [] : [child.show(record, this.#version)],
    );
    const body = { totalSize: keys.length, done: size === keys.length, records: shown };
    if (body.done) return body;
    const locator = this.#cursors.openChild({ found, children: [] });
    cursor.children.push(locator);
    return { ...body, nextRecordsUrl: this.#url(locator, size) };
  }

  #url(locator: string, start: number): string {
    return `/services/data/${this.#version}/${this.#kind}/${locator}-${start}`;
  }
}

/** Reads the page size from `Sforce-Query-Options: batchSize=200…2000`. */
function readPageSize(exchange: SandboxExchange): number {
  const wanted = Number(
    /batchSize\s*=\s*(\d+)/i.exec(readHeader(exchange, "sforce-query-options"))?.[1] ?? DEFAULT_PAGE,
  );
  return Math.min(2000, Math.max(200, wanted));
}
