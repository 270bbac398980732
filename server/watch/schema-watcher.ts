/** Watches the schemas of customers' accounts in the background: starts and runs the checks that are due. */
import { now } from "../../ground/clock.ts";
import { startWork, type WorkStart } from "../../ground/span.ts";
import type { Tracer } from "../../ground/tracer.ts";
import { findNextTick } from "../jobs/cron-tick.ts";
import { startRounds } from "../jobs/rounds.ts";
import { claimSchemaCheck, startDueChecks, type SchemaCheck } from "../store/integrations/schema-checks.ts";
import type { SchemaCheckServices } from "./find-check-target.ts";
import { checkSchemas } from "./check-schemas.ts";

interface SchemaWatcher {
  /** Finishes the checks that are under way. */
  stop(): Promise<void>;
}

/** Checks of one process at once. Each is of one installation and sends one request after the other. */
const MAX_CHECKS = 8;
/** Maximum number of these for one project, so that its slow providers do not delay other projects. */
const MAX_OF_PROJECT = 6;
const MAX_INTEGRATIONS = 100;
/** Longer than the check of any installation should take. A check that takes longer is repeated, and reports nothing twice. */
const LEASE_MS = 15 * 60_000;
const LONGEST_POLL_MS = 5_000;
const SHORTEST_POLL_MS = 20;

interface SchemaWatcherServices extends SchemaCheckServices {
  /** Undefined if traces are not sent. */
  tracer?: Tracer | undefined;
}

/** Starts watching in this process, beside any number of other processes. */
export function startSchemaWatcher(deps: SchemaWatcherServices): SchemaWatcher {
  const { database, log, minuteMs } = deps;
  const { data } = database;
  const underWay = new Map<Promise<void>, string>();
  const start = (check: SchemaCheck): void => {
    const work = checkWork(deps.tracer, check);
    const done: Promise<void> = startWork(work, () => checkSchemas(deps, check)).finally(() => {
      underWay.delete(done);
      // The remaining installations were of a project that had used its share.
      rounds.wake();
    });
    underWay.set(done, check.projectId);
  };
  const round = async (): Promise<boolean> => {
    const tick = (schedule: string): Date => findNextTick(schedule, now(), { minuteMs });
    // A tick concerns the customers of all shards.
    if (database.shard === database.shards[0]?.shard)
      await startDueChecks(database, { max: MAX_INTEGRATIONS, spreadMs: 60 * minuteMs, nextTick: tick });
    while (underWay.size < MAX_CHECKS) {
      const byProject = Map.groupBy(underWay.values(), (projectId) => projectId);
      const full = [...byProject].flatMap(([id, checks]) => (checks.length < MAX_OF_PROJECT ? [] : [id]));
      const check = await claimSchemaCheck(data, { leaseMs: LEASE_MS, full });
      if (!check) break;
      start(check);
    }
    return false;
  };
  const everyMs = Math.min(LONGEST_POLL_MS, Math.max(SHORTEST_POLL_MS, minuteMs / 12));
  const rounds = startRounds({ what: "check schemas", log, everyMs, round });
  return {
    async stop() {
      await rounds.stop();
      await Promise.all(underWay.keys());
    },
  };
}

const checkWork = (tracer: Tracer | undefined, { projectId, installationId }: SchemaCheck): WorkStart => ({
  tracer,
  caller: undefined,
  ids: { projectId, installationId },
  name: "look at schemas",
  kind: "internal",
  attributes: { "busbar.project.id": projectId, "busbar.installation.id": installationId },
});
