/** Words for schedules. */

export const USUAL: readonly (readonly [cron: string, words: string])[] = [
  ["*/10 * * * *", "Every 10 minutes"],
  ["*/30 * * * *", "Every 30 minutes"],
  ["0 * * * *", "Every hour"],
  ["0 */6 * * *", "Every 6 hours"],
  ["0 6 * * *", "Every day at 06:00 UTC"],
  ["0 6 * * 1", "Every Monday at 06:00 UTC"],
];
export const NONE = "Only on request";

/** Returns "Every hour", or the cron expression if there are no words for it. */
export const scheduleWords = (schedule: string | undefined): string =>
  schedule ? (USUAL.find(([cron]) => cron === schedule)?.[1] ?? schedule) : NONE;
