/** Rules for cron expressions in a manifest. */
import { formatCount } from "../../ground/sentences.ts";
import type { Report } from "../finding.ts";
import { joinPath, readText, type LocatedValue } from "../located-value.ts";
import { checkSchedule } from "../schedule.ts";

/** More often puts the provider's quota at risk; only possible where the minimum interval is lowered. */
const FREQUENT_MINUTES = 5;

/** Checks the member `schedule`, which may be absent. */
export function checkScheduleAt(place: LocatedValue, minimumMinutes: number, report: Report): void {
  const schedule = readText(place, "schedule");
  if (schedule === undefined) return;
  const path = joinPath(place, "schedule");
  const verdict = checkSchedule(schedule);
  const shown = schedule.slice(0, 100);
  if (!verdict.valid) {
    report.error(
      "schedule-syntax",
      path,
      `The schedule "${shown}" is not valid: ${verdict.reason}.`,
      verdict.remedy,
    );
    return;
  }
  const shortest = verdict.shortestIntervalMinutes;
  if (shortest < minimumMinutes) {
    report.error(
      "schedule-minimum-interval",
      path,
      `The schedule "${shown}" has runs ${formatCount(shortest, "minute")} apart; at least ${formatCount(minimumMinutes, "minute")} must lie between them.`,
      minimumMinutes <= 10 ? 'The fastest schedule is "*/10 * * * *".' : 'Use for example "0 */6 * * *".',
    );
  } else if (shortest < FREQUENT_MINUTES) {
    const message = `The schedule "${shown}" runs as often as every ${formatCount(shortest, "minute")}.`;
    report.warning(
      "frequent-schedule-risk",
      path,
      message,
      "Read less often to save the customer's API quota.",
    );
  }
}
