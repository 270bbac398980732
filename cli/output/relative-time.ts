/** Formats a time relative to now: "3 min ago", "in 2 h". */

const UNITS: [seconds: number, word: string][] = [
  [86_400, "d"],
  [3_600, "h"],
  [60, "min"],
];
/** Older and later times are shown as dates. */
const MAX_DAYS = 30;

/** Formats an ISO time; returns any other text unchanged. */
export function relativeTime(time: string, nowMs: number): string {
  const ms = Date.parse(time);
  if (Number.isNaN(ms)) return time;
  const seconds = Math.round((nowMs - ms) / 1_000);
  const away = Math.abs(seconds);
  if (away > MAX_DAYS * 86_400) return time.slice(0, 10);
  const [unitSeconds, word] = UNITS.find(([unit]) => away >= unit) ?? [1, "s"];
  const amount = `${Math.floor(away / unitSeconds)} ${word}`;
  return seconds < 0 ? `in ${amount}` : `${amount} ago`;
}
