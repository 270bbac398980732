/** Defines the columns of a table: their text, and how it is displayed. */
import type { JsonObject } from "../http/json.ts";
import type { Paint } from "./paint.ts";

export interface Column<Row = JsonObject> {
  text(row: Row): string;
  /** Ids are cut last, times are relative on a terminal, statuses are coloured, sentences stand last. */
  kind?: "id" | "time" | "status" | "prose";
  /** Hidden on a terminal that is too narrow for it. */
  isExtra?: boolean;
}

/** The columns by heading. */
export type Columns<Row = JsonObject> = Record<string, Column<Row> | ((row: Row) => string)>;

export const toColumn = <Row>(column: Column<Row> | ((row: Row) => string)): Column<Row> =>
  typeof column === "function" ? { text: column } : column;

/** Returns the text of a cell. Without `nowMs` times are absolute, without milliseconds. */
export function formatCell<Row>({ text, kind }: Column<Row>, row: Row, nowMs: number | undefined): string {
  const value = text(row);
  if (kind !== "time" || value === "") return value;
  return nowMs === undefined ? value.replace(/\.\d+Z$/, "Z") : formatRelativeTime(value, nowMs);
}

const COLOURS: [colour: "red" | "green" | "yellow", statuses: RegExp][] = [
  ["red", /^(failure|failed|(\d+ of \d+ )?unhealthy|bad_credentials|disabled|failing|given_up|false)$/],
  ["green", /^(success|(\d+ )?healthy|working|delivered|enabled|true)$/],
  ["yellow", /^(in_progress|in_message|queued|received|refused|waiting|sending|created|unverified)$/],
];

/** Returns the colour of a status; unknown texts stay plain. */
export function colourStatus(status: string, paint: Paint): (text: string) => string {
  const [name] = COLOURS.find(([, statuses]) => statuses.test(status)) ?? [];
  return name === undefined ? (text) => text : paint[name];
}

const UNITS: [seconds: number, word: string][] = [
  [86_400, "d"],
  [3_600, "h"],
  [60, "min"],
];
/** Older and later times are shown as dates. */
const MAX_DAYS = 30;

/** Formats an ISO time; returns any other text unchanged. */
export function formatRelativeTime(time: string, nowMs: number): string {
  const ms = Date.parse(time);
  if (Number.isNaN(ms)) return time;
  const seconds = Math.round((nowMs - ms) / 1_000);
  const away = Math.abs(seconds);
  if (away > MAX_DAYS * 86_400) return time.slice(0, 10);
  const [unitSeconds, word] = UNITS.find(([unit]) => away >= unit) ?? [1, "s"];
  const amount = `${Math.floor(away / unitSeconds)} ${word}`;
  return seconds < 0 ? `in ${amount}` : `${amount} ago`;
}
