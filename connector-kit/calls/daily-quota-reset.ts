/** Finds when a daily quota resets: at the next midnight in the account's time zone. */

/** Returns the first midnight after `after` in an IANA time zone, UTC if the zone is absent or unknown. */
export function findNextQuotaReset(after: Date, timeZone: string | undefined): Date {
  const wall = openWallClock(timeZone);
  const today = wall(after);
  const target = Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate() + 1);
  // The offset at midnight may differ from the current one (summer time), so it is looked up again at the guess.
  let guess = target;
  for (let round = 0; round < 2; round++) {
    guess = target - (wall(new Date(guess)).getTime() - guess);
  }
  return new Date(guess);
}

/** Returns a function that puts a moment's local date and time into the UTC fields of a `Date`. */
function openWallClock(timeZone: string | undefined): (moment: Date) => Date {
  const format = openFormatter(timeZone);
  return (moment) => {
    const parts = new Map(format.formatToParts(moment).map(({ type, value }) => [type, Number(value)]));
    const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
    return new Date(
      Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second")),
    );
  };
}

function openFormatter(timeZone: string | undefined): Intl.DateTimeFormat {
  const options: Intl.DateTimeFormatOptions = {
    calendar: "gregory",
    numberingSystem: "latn",
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  };
  try {
    return new Intl.DateTimeFormat("en-US", { ...options, timeZone: timeZone ?? "UTC" });
  } catch {
    return new Intl.DateTimeFormat("en-US", { ...options, timeZone: "UTC" });
  }
}
