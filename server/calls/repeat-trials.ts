/** Tries credentials again that could not be verified when they were stored, because the provider did not answer, and those that it has refused. */
import type { Log } from "../../ground/log.ts";
import { claimDueTrials } from "../store/connections/connection-states.ts";
import { checkCredentials, type CheckServices } from "./check-credentials.ts";

const MAX_CONCURRENT = 10;

type Services = CheckServices & { log: Log; minuteMs: number };

/** Checks for due connections four times a minute. Every process may do so; each connection is tried by one of them. */
export function repeatTrials(deps: Services): { stop(): Promise<void> } {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<void> = Promise.resolve();
  const check = (): void => {
    round = tryDue(deps)
      .catch((error: unknown) =>
        deps.log.warn({ error: String(error) }, "credentials could not be tried again"),
      )
      .finally(() => {
        if (!stopped) timer = setTimeout(check, deps.minuteMs / 4).unref();
      });
  };
  check();
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await round;
    },
  };
}

async function tryDue(deps: Services): Promise<void> {
  const due = await claimDueTrials(deps.database.control, { max: MAX_CONCURRENT, minuteMs: deps.minuteMs });
  await Promise.all(due.map((connection) => checkCredentials(deps, connection)));
}
