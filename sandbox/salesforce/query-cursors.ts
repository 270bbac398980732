// Locators of long results: their names, lifetime and maximum number.

import { refuse } from "./errors.ts";
import { addChecksum } from "./ids.ts";
import type { OrgSettings } from "./org.ts";
import type { Found } from "./soql-run.ts";

/** `children` has the names of the locators of children on the last page. */
export type Cursor = { found: Found; children: string[] };

type Open = { cursor: Cursor; openedAt: number; generation: number };

export class QueryCursors {
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
    if (name === "") throw invalidLocator("INVALID_QUERY_LOCATOR_FORMAT");
    const open = this.#open.get(name) ?? this.#children.get(name);
    const age = open === undefined ? 0 : this.#settings.clock.now() - open.openedAt;
    const old = open?.generation !== this.#settings.locatorGeneration;
    if (open === undefined || old || age > this.#settings.locatorLifetimeMs) {
      this.close(name);
      throw invalidLocator("QUERY_LOCATOR_EXPIRED");
    }
    if (Number(start) > open.cursor.found.total) throw invalidLocator("LOCATOR_LOCATION_EXCEEDS_SIZE");
    return { cursor: open.cursor, name, start: Number(start) };
  }

  #add(cursors: Map<string, Open>, cursor: Cursor): string {
    const name = addChecksum(`0r8Sb${String(this.#next++).padStart(10, "0")}`);
    const { clock, locatorGeneration } = this.#settings;
    cursors.set(name, { cursor, openedAt: clock.now(), generation: locatorGeneration });
    return name;
  }
}

function invalidLocator(extendedCode: string): Error {
  return refuse(400, "INVALID_QUERY_LOCATOR", `invalid query locator (${extendedCode})`);
}
