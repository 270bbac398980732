/** What to do about a database that is away: repeat until it is back, or leave out what can be left out. */

const AGAIN_MS = 250;

/** `run` may have done its work although it failed, so it must bear being repeated. Throws what time will not mend. */
export async function retryWhileDatabaseIsDown<Answer>(run: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    try {
      return await run();
    } catch (error) {
      if (!isDatabaseAway(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }
}

/** For what is not worth failing for. */
export async function ignoreDatabaseOutage(run: () => Promise<unknown>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!isDatabaseAway(error)) throw error;
  }
}

/** Connection trouble and the SQLSTATE classes 08 (connection), 53 (resources) and 57P (shutdown). */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? String(error.code) : "";
  if (/^(08\w{3}|53\w{3}|57P\w{2})$/.test(code)) return true;
  // Said by pg itself, without a code.
  const broken =
    /^(Connection terminated|timeout exceeded when trying to connect|Client .* is not queryable$)/;
  if (broken.test(error.message)) return true;
  if (/^E(CONNREFUSED|NOENT|TIMEDOUT)$/.test(code)) return "address" in error;
  // A connection that was there: a file has no such errors, and those of providers come wrapped.
  return code === "ECONNRESET" || code === "EPIPE";
}
