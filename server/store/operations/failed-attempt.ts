/**
 * Returns the line in an operation's log that says that an attempt has failed and when the next one follows, and the pattern by which the health of
 * installations finds it. A file without SQL: `server/store/database/sides.test.ts` would count the statements beside them as theirs.
 */

export const explainFailedAttempt = (attempts: number, nextTime: Date): string =>
  `Attempt ${attempts} failed; next at ${nextTime.toISOString()}`;

/** For `like`. */
export const FAILED_ATTEMPT_PATTERN = "Attempt % failed; next at %";
