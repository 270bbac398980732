/** Writes and reads ISO 8601 times of the years 0 to 9999 as `Date` does, several times as fast: a backfill does both for each record. */

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** Days whose text is kept: more than ten years. */
const MAX_DAYS = 4_000;

const pad = (number: number, digits: number): string => String(number).padStart(digits, "0");
const MINUTES = Array.from(
  { length: 1_440 },
  (_, minute) => `T${pad(Math.floor(minute / 60), 2)}:${pad(minute % 60, 2)}:`,
);
const SECONDS = Array.from({ length: 60 }, (_, second) => pad(second, 2));
const MILLISECONDS = Array.from({ length: 1_000 }, (_, ms) => `.${pad(ms, 3)}Z`);

/** The date of each day that was written, by its number since 1970. */
const dates = new Map<number, string>();

/** Times beyond have a longer form, with a sign: such texts do not sort by time. */
const FIRST_MS = Date.parse("0000-01-01T00:00:00.000Z");
const LAST_MS = Date.UTC(10_000, 0, 1) - 1;

/**
 * Returns what `toISOString` returns, in the years 0 to 9999; of a time beyond, the first or last millisecond of these years, so that
 * texts sort as times do. Throws `RangeError` for an invalid date.
 */
export function writeIsoTime(time: Date): string {
  const ms = Math.min(Math.max(time.getTime(), FIRST_MS), LAST_MS);
  const day = Math.floor(ms / DAY_MS);
  const ofDay = ms - day * DAY_MS;
  const minute = Math.floor(ofDay / MINUTE_MS);
  const ofMinute = ofDay - minute * MINUTE_MS;
  const second = Math.floor(ofMinute / 1_000);
  const date = dates.get(day) ?? writeDate(day);
  return `${date}${MINUTES[minute]}${SECONDS[second]}${MILLISECONDS[ofMinute - second * 1_000]}`;
}

function writeDate(day: number): string {
  const date = new Date(day * DAY_MS).toISOString().slice(0, -"T00:00:00.000Z".length);
  if (dates.size >= MAX_DAYS) dates.clear();
  dates.set(day, date);
  return date;
}

/**
 * Returns the milliseconds since 1970 of a time of the form `2026-11-20T08:01:02.000Z`, or with `+0000` in place of `Z`. Undefined for any
 * other form, and for a time that the calendar does not have: `Date` decides about those.
 */
export function readIsoTime(text: string): number | undefined {
  const { length } = text;
  if (!(length === 24 ? text.charCodeAt(23) === Z : length === 28 && text.endsWith("+0000")))
    return undefined;
  for (let at = 0; at < 23; at += 1) {
    const code = text.charCodeAt(at);
    const mark = FORM.charCodeAt(at);
    if (mark === DIGIT ? code < ZERO || code > ZERO + 9 : code !== mark) return undefined;
  }
  const year = readTwo(text, 0) * 100 + readTwo(text, 2);
  const month = readTwo(text, 5);
  const day = readTwo(text, 8);
  const hour = readTwo(text, 11);
  const minute = readTwo(text, 14);
  const second = readTwo(text, 17);
  if (year < 100 || hour > 23 || minute > 59 || second > 59) return undefined;
  const isInEveryMonth = month >= 1 && month <= 12 && day >= 1 && day <= 28;
  if (!isInEveryMonth && !isOfCalendar(year, month, day)) return undefined;
  const ms = readTwo(text, 20) * 10 + text.charCodeAt(22) - ZERO;
  return Date.UTC(year, month - 1, day, hour, minute, second, ms);
}

const FORM = "0000-00-00T00:00:00.000";
const ZERO = 0x30;
const DIGIT = ZERO;
const Z = 0x5a;

const readTwo = (text: string, at: number): number =>
  (text.charCodeAt(at) - ZERO) * 10 + text.charCodeAt(at + 1) - ZERO;

/** Returns whether the month has the day; `Date.UTC` would go on into the next one. */
const isOfCalendar = (year: number, month: number, day: number): boolean =>
  month >= 1 && month <= 12 && day >= 1 && new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day;
