/** Checks cron expressions: five fields, at least one run, and the shortest interval between two runs. */
import { CronPattern } from "croner";

export const MINIMUM_INTERVAL_MINUTES = 10;

type ScheduleVerdict =
  | { valid: false; reason: string; remedy: string }
  | { valid: true; shortestIntervalMinutes: number };

const DAY_MINUTES = 1440;
const DAY_MS = 86_400_000;
/** Four years contain every calendar day that a pattern can name, including 29 February. */
const FIRST_DAY_MS = Date.UTC(2024, 0, 1);
const DAYS = 4 * 365 + 1;
const EXAMPLE =
  'Write minute, hour, day, month and weekday (0-6), for example "*/30 * * * *" or "0 6 * * 1-5".';

/** Checks a cron expression; the result does not depend on the current time. Never throws. */
export function checkSchedule(text: string): ScheduleVerdict {
  const fields = text.trim().split(/\s+/);
  if (text.trim() === "" || fields.length !== 5) {
    const count = text.trim() === "" ? 0 : fields.length;
    return { valid: false, reason: `it has ${count} of the five fields`, remedy: EXAMPLE };
  }
  // The cron library accepts more than the manifest format: last days, nearest weekdays, nth weekdays.
  const odd = fields.find((field) => !/^(?:[\d*,/?-]|[a-z]{3}(?![a-z]))+$/i.test(field));
  if (odd !== undefined)
    return { valid: false, reason: `the field "${odd}" is not understood`, remedy: EXAMPLE };
  if (/(^|[,-])7/.test(fields[4] ?? "")) {
    return { valid: false, reason: "weekdays go from 0 to 6", remedy: "Write Sunday as 0." };
  }
  let pattern: CronPattern;
  try {
    pattern = new CronPattern(fields.join(" "), "UTC", { mode: "5-part" });
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^CronPattern: /, "") : String(error);
    return { valid: false, reason, remedy: EXAMPLE };
  }
  return measure(pattern);
}

function measure(pattern: CronPattern): ScheduleVerdict {
  const days = parseDays(pattern);
  if (!days.any) {
    return {
      valid: false,
      reason: "it never runs: no such day exists",
      remedy: "Choose a day that the month has.",
    };
  }
  const minutes = Array.from({ length: DAY_MINUTES }, (_, minute) => minute).filter(
    (minute) => pattern.hour[Math.floor(minute / 60)] && pattern.minute[minute % 60],
  );
  const [first = 0] = minutes;
  const last = minutes.at(-1) ?? first;
  const gaps = minutes.slice(1).map((minute, index) => minute - (minutes[index] ?? minute));
  // Without two matching days in a row, the next run is at least a day after the last run of a day.
  gaps.push(DAY_MINUTES - last + first + (days.consecutive ? 0 : DAY_MINUTES));
  return { valid: true, shortestIntervalMinutes: Math.min(...gaps) };
}

function parseDays(pattern: CronPattern): { any: boolean; consecutive: boolean } {
  let any = false;
  let previous = false;
  for (let index = 0; index < DAYS; index++) {
    const matches = matchesDay(pattern, new Date(FIRST_DAY_MS + index * DAY_MS));
    if (matches && previous) return { any: true, consecutive: true };
    any ||= matches;
    previous = matches;
  }
  return { any, consecutive: false };
}

/** Returns whether the day matches. Like in cron, one match is enough if both day of month and weekday are restricted. */
function matchesDay(pattern: CronPattern, date: Date): boolean {
  if (!pattern.month[date.getUTCMonth()]) return false;
  const byDay = Boolean(pattern.day[date.getUTCDate() - 1]);
  const byWeekday = Boolean(pattern.dayOfWeek[date.getUTCDay()]);
  return pattern.starDOM || pattern.starDOW ? byDay && byWeekday : byDay || byWeekday;
}
