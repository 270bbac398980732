/** Reads the value of an option that takes a time, or how long ago: `2h`, `3d`, `2026-01-31T12:00:00Z`. */
import { nowMs } from "../clock.ts";
import { UsageFailure } from "../failures.ts";

const UNIT_MS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Returns the time as the API takes it. Throws `UsageFailure`. */
export function timeOption(option: string, given: string): string {
  const [, count, unit = ""] = /^(\d{1,6})([mhd])$/.exec(given) ?? [];
  const ms = count === undefined ? Date.parse(given) : nowMs() - Number(count) * (UNIT_MS[unit] ?? 0);
  if (!Number.isNaN(ms)) return new Date(ms).toISOString();
  throw new UsageFailure(`${option} takes a time, or how long ago: 30m, 2h, 3d. It was \`${given}\`.`);
}
