/** Begins scheduled reads at their ticks; each tick is taken by one process only. */
import type { Catalog } from "../../../connector-kit/catalog.ts";
import { now } from "../../../ground/clock.ts";
import { newId } from "../../../ground/ids.ts";
import type { Log } from "../../../ground/log.ts";
import { findNextTick, spreadMs } from "../../jobs/cron-tick.ts";
import type { NewWork } from "../../jobs/new-work.ts";
import { startRounds, type Rounds } from "../../jobs/rounds.ts";
import { type Database, transactData } from "../../store/database/database.ts";
import type { DataQueries } from "../../store/database/sides.ts";
import {
  hasDueObjects,
  listSchedules,
  lockDueObjects,
  makeDueFrom,
  setNextTicks,
  type DueObject,
} from "../../store/reads/read-objects.ts";
import { insertReadRuns, type NewReadRun } from "../../store/reads/read-runs.ts";

export interface BeginReadsServices {
  database: Database;
  catalog: Catalog;
  log: Log;
  /** Length of a minute of schedules. */
  minuteMs: number;
  newRuns: NewWork;
}

const LOOK_EVERY_MS = 1_000;
const MAX_CONCURRENT = 500;
/** A provider's search index sometimes lags longer: once an hour a run begins further back. */
const SETTLE_EVERY_MS = 3_600_000;

/** Checks for due objects once a second. */
export const startBeginningReads = (deps: BeginReadsServices): Rounds =>
  startRounds({
    what: "begin scheduled reads",
    log: deps.log,
    everyMs: Math.min(LOOK_EVERY_MS, deps.minuteMs),
    round: () => beginDueReads(deps),
  });

const MEND_EVERY_MS = 60_000;

/** Checks now and then for ticks that are too far ahead. */
export const startRepairingTicks = (deps: BeginReadsServices): Rounds =>
  startRounds({
    what: "look for ticks that are too late",
    log: deps.log,
    everyMs: MEND_EVERY_MS,
    async round() {
      const mended = await repairTicks(deps);
      if (mended > 0)
        deps.log.warn(
          { mended },
          "scheduled reads had their next tick too late: a clock was ahead; they begin now",
        );
      return false;
    },
  });

/**
 * Makes objects due whose tick is later than the one after the next: the database's clock was ahead when it was stored, and changes have
 * waited since. Returns how many.
 */
export async function repairTicks({
  database,
  minuteMs,
}: Pick<BeginReadsServices, "database" | "minuteMs">): Promise<number> {
  const time = now();
  const latest = (await listSchedules(database.data)).map((schedule) => {
    const second = findNextTick(schedule, findNextTick(schedule, time, { minuteMs }), { minuteMs });
    // Equal schedules are spread over a minute.
    return { schedule, latest: new Date(second.getTime() + minuteMs) };
  });
  return makeDueFrom(database.data, latest);
}

const BAD = "bad_credentials";

/** Begins what is due now. Returns whether more may be due. */
export async function beginDueReads(deps: Omit<BeginReadsServices, "log">): Promise<boolean> {
  // Most rounds find nothing, and need no transaction for that.
  if (!(await hasDueObjects(deps.database.data))) return false;
  const { due, begun } = await transactData(deps.database, async (queries) => {
    const locked = await lockDueObjects(queries, MAX_CONCURRENT);
    return { due: locked, begun: await begin(deps, queries, locked) };
  });
  if (begun > 0) deps.newRuns.announce();
  return due.length === MAX_CONCURRENT;
}

/**
 * Begins the runs of due objects. A tick during a scheduled run of the same object is noted, and another run follows. Nothing
 * begins while the connection has bad credentials or the destination is disabled: the next tick after that reads the whole
 * gap, or the read that begins as soon as the customer has connected again.
 */
async function begin(
  deps: Omit<BeginReadsServices, "log">,
  queries: DataQueries,
  due: DueObject[],
): Promise<number> {
  const time = now();
  const runs = due.flatMap((object) => planRun(deps.catalog, object, time) ?? []);
  await insertReadRuns(queries, runs);
  await setNextTicks(
    queries,
    due.map(({ installationId, objectName, schedule, isBeingRead, connectionStatus }) => ({
      installationId,
      objectName,
      nextTick: findTickAfter({ installationId, objectName, schedule }, time, deps.minuteMs),
      missed: isBeingRead || connectionStatus === BAD,
    })),
  );
  return runs.length;
}

function planRun(catalog: Catalog, object: DueObject, time: Date): NewReadRun | undefined {
  const abilities = catalog.of(object.projectId).connector(object.provider)?.read?.abilities;
  const mayBegin = object.hasDestination && object.connectionStatus !== BAD;
  if (!abilities || !mayBegin || object.isBeingRead) return undefined;
  const { overlapMs, settlingOverlapMs } = abilities;
  const settles =
    settlingOverlapMs !== undefined &&
    time.getTime() - (object.settledTime?.getTime() ?? 0) >= SETTLE_EVERY_MS;
  const backMs = settles ? settlingOverlapMs : overlapMs;
  // A cursor of the future was stored by a clock that was wrong.
  const cursorMs = Math.min(object.cursorTime.getTime(), time.getTime());
  const sinceMs = Math.max(cursorMs - backMs, object.floorTime?.getTime() ?? -Infinity);
  const { projectId, integrationId, installationId, configId, objectName, messageName } = object;
  return {
    operationId: newId(),
    projectId,
    integrationId,
    installationId,
    configId,
    objectName,
    messageName,
    kind: "scheduled",
    sinceTime: new Date(sinceMs),
    untilTime: null,
    settles,
  };
}

/** Returns the next tick of an object. Equal schedules are spread over a minute, each object always at the same second. */
export const findTickAfter = (
  { installationId, objectName, schedule }: Pick<DueObject, "installationId" | "objectName" | "schedule">,
  time: Date,
  minuteMs: number,
): Date => findNextTick(schedule, time, { minuteMs, offsetMs: spreadMs(`${installationId} ${objectName}`) });
