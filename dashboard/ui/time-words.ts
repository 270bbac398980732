/** Times and durations in words, in the browser's zone. */

const STEPS: [Intl.RelativeTimeFormatUnit, number, string][] = [
  ["second", 60, "s"],
  ["minute", 60, "min"],
  ["hour", 24, "h"],
  ["day", 60, "d"],
];

/** "3 min ago", "in 2 h"; after two months the date. */
export function describeAgo(time: string, nowMs: number): string {
  const then = Date.parse(time);
  const isPast = then <= nowMs;
  let amount = Math.abs(nowMs - then) / 1_000;
  // Rows arrive between two ticks of the clock.
  if (amount < (isPast ? 5 : 15)) return "now";
  for (const [, max, word] of STEPS) {
    if (amount < max) return isPast ? `${Math.floor(amount)} ${word} ago` : `in ${Math.ceil(amount)} ${word}`;
    amount /= max;
  }
  return new Intl.DateTimeFormat(undefined, { dateStyle: "medium" }).format(then);
}

/** "22 Nov 2026, 10:15:03.123 CET" */
export const formatExactTime = (time: string): string =>
  formatDate(time, { second: "2-digit", fractionalSecondDigits: 3 });

/** "22 Nov 2026, 10:15 CET": what begins with a minute. */
export const formatMinute = (time: string): string => formatDate(time, {});

function formatDate(time: string, more: Intl.DateTimeFormatOptions): string {
  const then = Date.parse(time);
  // An address may have any text as a time; the API says what is wrong with it.
  if (Number.isNaN(then)) return time;
  return new Intl.DateTimeFormat(undefined, {
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    ...more,
    hourCycle: "h23",
    timeZoneName: "short",
  }).format(then);
}

const DAY_MS = 86_400_000;

/** "09:12 CET"; of another day "21 Nov, 09:12 CET" */
export function formatClockTime(time: string, nowMs: number): string {
  const then = Date.parse(time);
  const isToday = nowMs - then < DAY_MS && new Date(then).getDate() === new Date(nowMs).getDate();
  return new Intl.DateTimeFormat(undefined, {
    ...(!isToday && { day: "numeric", month: "short" }),
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    timeZoneName: "short",
  }).format(then);
}

/** A tick of an axis: "09:12", and over more than two days "21 Nov". */
export const formatTick = (time: string, axisSeconds: number): string =>
  new Intl.DateTimeFormat(
    undefined,
    axisSeconds > 172_800
      ? { day: "numeric", month: "short" }
      : { hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
  ).format(Date.parse(time));

/** "35 ms", "1.2 s", "3 min 5 s", "2 h 10 min" */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  // From here on the seconds would be rounded to 60.0.
  if (ms < 59_950) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3_600)} h ${Math.floor((seconds % 3_600) / 60)} min`;
}

/** Returns how long something took. */
export const formatSpan = (from: string, to: string): string =>
  formatDuration(Math.max(0, Date.parse(to) - Date.parse(from)));
