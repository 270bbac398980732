/**
 * Wakes the workers of all processes (`changes.ts`) when work for them is committed. The notification is not part of the
 * transaction: PostgreSQL executes commits that notify one after the other, each with its wait for the disk. A notification
 * that is lost with its process delays the work until the next poll, nothing more.
 */
import { setTimeout as wait } from "node:timers/promises";
import { sql, type RawBuilder } from "kysely";

/** Column in which a statement names the table whose workers have new work. No other column has this name. */
const COLUMN = "wakes";

/** Builds that column for the answer of a statement. The connection (`pool.ts`) reads it, and wakes workers after the commit. */
export const buildWakeColumn = (table: string, condition?: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`${condition ? sql`case when ${condition} then ${sql.lit(table)} end` : sql.lit(table)} as ${sql.raw(COLUMN)}`;

/** Returns the table that the rows of an answer name. All rows name the same one. */
export function readWake([row]: readonly unknown[]): string | undefined {
  if (typeof row !== "object" || row === null || !(COLUMN in row)) return undefined;
  return typeof row[COLUMN] === "string" ? row[COLUMN] : undefined;
}

/** Interval between notifications; one message reports all commits of the interval. */
const GATHER_MS = 5;

/** Sends notifications: the first at once, the next after at least `GATHER_MS`. */
export class WakeUps {
  readonly #send: (payloads: string[]) => Promise<unknown>;
  readonly #tables = new Set<string>();
  #sending = false;

  /** `send` may fail: workers also poll. */
  constructor(send: (payloads: string[]) => Promise<unknown>) {
    this.#send = send;
  }

  /** Call it when the work is committed. */
  add(tables: Iterable<string>): void {
    for (const table of tables) this.#tables.add(table);
    if (!this.#sending && this.#tables.size > 0) void this.#sendAll();
  }

  async #sendAll(): Promise<void> {
    this.#sending = true;
    while (this.#tables.size > 0) {
      const payloads = [...this.#tables].map((table) => JSON.stringify({ table, id: "" }));
      this.#tables.clear();
      await Promise.all([this.#send(payloads).catch(() => {}), wait(GATHER_MS, undefined, { ref: false })]);
    }
    this.#sending = false;
  }
}
