/** Limits a query to a page, to a period and to rows that contain a text; for tables whose ids are UUIDv7. */
import { sql, type RawBuilder } from "kysely";
import { buildFirstId } from "../../../ground/ids.ts";

/** Rows between ids and within a period, newest first. All bounds are optional. */
export interface IdRange {
  /** Only rows with a lower id: those of the next page. */
  before?: string;
  /** Only rows with a higher id: those that are newer than the newest known row. */
  after?: string;
  /** The beginning of the period, inclusive. */
  since?: Date;
  /** The end of the period, exclusive. */
  until?: Date;
  /** Maximum number of rows. */
  limit: number;
}

/** Limit below which a project's rows are too old: their time, or the first id of that time. */
export interface ProjectBound {
  projectId: string;
  time: Date;
  id: string;
}

/**
 * Returns the condition that an id lies in a range: `.where(limitToIdRange("operations.id", range))`. A period is a range of
 * ids too, because a row begins at the time of its id; so the index that orders the list also finds the period.
 */
export function limitToIdRange(column: string, { before, after, since, until }: Omit<IdRange, "limit">) {
  const id = sql.ref(column);
  const bounds: RawBuilder<unknown>[] = [];
  if (before !== undefined) bounds.push(sql`${id} < ${before}::uuid`);
  if (after !== undefined) bounds.push(sql`${id} > ${after}::uuid`);
  if (since) bounds.push(sql`${id} >= ${buildFirstId(since.getTime())}::uuid`);
  if (until) bounds.push(sql`${id} < ${buildFirstId(until.getTime())}::uuid`);
  return bounds.length > 0 ? sql<boolean>`(${sql.join(bounds, sql` and `)})` : sql<boolean>`true`;
}

/**
 * Returns the condition that one of the columns contains a text, in any case. `%` and `_` have no special meaning. To a
 * text of ASCII characters the C collation gives the same answer five times faster.
 */
export function containsText(columns: (string | RawBuilder<unknown>)[], text: string) {
  const pattern = toLikePattern(text);
  const isAscii = /^[\x20-\x7e]*$/.test(text);
  const tests = columns.map((column) => {
    const value = typeof column === "string" ? sql.ref(column) : column;
    return isAscii
      ? sql`lower((${value})::text collate "C") like ${pattern.toLowerCase()}`
      : sql`(${value})::text ilike ${pattern}`;
  });
  return sql<boolean>`(${sql.join(tests, sql` or `)})`;
}

/** Returns the pattern of `like` for values that contain a text. */
const toLikePattern = (text: string): string => `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
