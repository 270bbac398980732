/** Reads the value of an option that takes a time, or how far it is from now: `2h`, `3d`, `2026-01-31T12:00:00Z`. */
import { nowMs } from "../clock.ts";
import { UsageFailure } from "../failures.ts";

const UNIT_MS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Returns the time as the API takes it; `2h` is two hours ago. Throws `UsageFailure`. */
export function parseTimeOption(option: string, given: string): string {
  const time = toTime(given, -1);
  if (time !== undefined) return time;
  throw new UsageFailure(`${option} takes a time, or how long ago: 30m, 2h, 3d. It was \`${given}\`.`);
}

/** Parses a time as `parseTimeOption` does, but `2h` is in two hours. */
export function parseFutureTimeOption(option: string, given: string): string {
  const time = toTime(given, 1);
  if (time !== undefined) return time;
  throw new UsageFailure(`${option} takes a time, or in how long: 30m, 2h, 90d. It was \`${given}\`.`);
}

function toTime(given: string, direction: 1 | -1): string | undefined {
  const [, count, unit = ""] = /^(\d{1,6})([mhd])$/.exec(given) ?? [];
  const ms =
    count === undefined ? Date.parse(given) : nowMs() + direction * Number(count) * (UNIT_MS[unit] ?? 0);
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
}
