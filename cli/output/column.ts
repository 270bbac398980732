/** A column of a table: its text, and how a person sees it. */
import type { JsonObject } from "../http/json.ts";
import type { Paint } from "./paint.ts";
import { relativeTime } from "./relative-time.ts";

export interface Column<Row = JsonObject> {
  text(row: Row): string;
  /** Ids are cut last, times are told relatively, statuses have colours. */
  kind?: "id" | "time" | "status";
  /** Left out on a terminal unless `--wide` is given. */
  isExtra?: boolean;
}

/** Heading to what stands below it. */
export type Columns<Row = JsonObject> = Record<string, Column<Row> | ((row: Row) => string)>;

export const toColumn = <Row>(column: Column<Row> | ((row: Row) => string)): Column<Row> =>
  typeof column === "function" ? { text: column } : column;

/** `nowMs` on a terminal; elsewhere times stay absolute, without milliseconds. */
export function cellText<Row>({ text, kind }: Column<Row>, row: Row, nowMs: number | undefined): string {
  const value = text(row);
  if (kind !== "time" || value === "") return value;
  return nowMs === undefined ? value.replace(/\.\d+Z$/, "Z") : relativeTime(value, nowMs);
}

const COLOURS: [colour: "red" | "green" | "yellow", statuses: RegExp][] = [
  ["red", /^(failure|failed|unhealthy|bad_credentials|disabled|false)$/],
  ["green", /^(success|healthy|working|delivered|enabled|true)$/],
  ["yellow", /^(in_progress|waiting|sending|created)$/],
];

/** The colour of a status; a text that is none stays plain. */
export function statusColour(status: string, paint: Paint): (text: string) => string {
  const [name] = COLOURS.find(([, statuses]) => statuses.test(status)) ?? [];
  return name === undefined ? (text) => text : paint[name];
}
