// Query endpoints: SOQL in, pages of records out.

import { type Data, readHeader, type SandboxExchange } from "../exchange.ts";
import type { Router } from "../router.ts";
import type { Org, OrgSettings } from "./org.ts";
import { API, type OrgSource } from "./sobjects.ts";
import { parseSoql } from "./soql-parse.ts";
import { type Found, runQuery } from "./soql-run.ts";
import { refuse } from "./errors.ts";
import { addChecksum } from "./ids.ts";

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

/** `children` has the names of the locators of children on the last page. */
type Cursor = { found: Found; children: string[] };

type Open = { cursor: Cursor; openedAt: number; generation: number };

/** Locators of long results: their names, lifetime and maximum number. */
class QueryCursors {
  readonly #settings: OrgSettings;
  readonly #open = new Map<string, Open>();
  readonly #children = new Map<string, Open>();
  #next = 1;

  constructor(settings: OrgSettings) {
    this.#settings = settings;
  }

  /** Opens a locator and returns its name. One beyond the maximum closes the oldest. */
  open(cursor: Cursor): string {
    const name = this.#add(this.#open, cursor);
    const [oldest] = this.#open.keys();
    if (this.#open.size > this.#settings.openLocators && oldest !== undefined) this.close(oldest);
    return name;
  }

  /** Opens a locator of children. It lives as long as its parent's page, and counts as one with that. */
  openChild(cursor: Cursor): string {
    return this.#add(this.#children, cursor);
  }

  close(name: string): void {
    for (const child of this.#open.get(name)?.cursor.children ?? []) this.#children.delete(child);
    this.#open.delete(name);
    this.#children.delete(name);
  }

  /** Finds the cursor of a locator like `0r8…-2000`. Throws Salesforce's refusal with the extended code in the message. */
  find(locator: string): { cursor: Cursor; name: string; start: number } {
    const [, name = "", start = ""] = /^(0r8[a-zA-Z0-9]{12,15})-(\d+)$/.exec(locator) ?? [];
    if (name === "") throw refuseLocator("INVALID_QUERY_LOCATOR_FORMAT");
    const open = this.#open.get(name) ?? this.#children.get(name);
    const age = open === undefined ? 0 : this.#settings.clock.now() - open.openedAt;
    const old = open?.generation !== this.#settings.locatorGeneration;
    if (open === undefined || old || age > this.#settings.locatorLifetimeMs) {
      this.close(name);
      throw refuseLocator("QUERY_LOCATOR_EXPIRED");
    }
    if (Number(start) > open.cursor.found.total) throw refuseLocator("LOCATOR_LOCATION_EXCEEDS_SIZE");
    return { cursor: open.cursor, name, start: Number(start) };
  }

  #add(cursors: Map<string, Open>, cursor: Cursor): string {
    const name = addChecksum(`0r8Sb${String(this.#next++).padStart(10, "0")}`);
    const { clock, locatorGeneration } = this.#settings;
    cursors.set(name, { cursor, openedAt: clock.now(), generation: locatorGeneration });
    return name;
  }
}

function refuseLocator(extendedCode: string): Error {
  return refuse(400, "INVALID_QUERY_LOCATOR", `invalid query locator (${extendedCode})`);
}
