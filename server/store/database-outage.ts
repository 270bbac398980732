/** What to do about a database that is away: repeat until it is back, or leave out what can be left out. */
import { isDatabaseAway } from "../http/problem.ts";

const AGAIN_MS = 250;

/** `run` may have done its work although it failed, so it must bear being repeated. Throws what time will not mend. */
export async function untilBack<Answer>(run: () => Promise<Answer>): Promise<Answer> {
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
export async function unlessAway(run: () => Promise<unknown>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!isDatabaseAway(error)) throw error;
  }
}
