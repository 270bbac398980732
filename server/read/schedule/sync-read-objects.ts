/** Brings the objects that installations read in line with configuration, manifest and connection. */
import type { Catalog } from "../../../connector-kit/catalog.ts";
import type { Log } from "../../../ground/log.ts";
import { newId } from "../../../ground/ids.ts";
import type { NewWork } from "../../jobs/new-work.ts";
import { startRounds, type Rounds } from "../../jobs/rounds.ts";
import type { ConfigContent } from "../../../manifest/installation-config.ts";
import type { ManifestIntegration } from "../../../manifest/manifest.ts";
import { listWritableObjects } from "../../../manifest/object-fields.ts";
import { readTriggeredError } from "../../events/new-events.ts";
import { recordEvents } from "../../events/record-event.ts";
import type { Changes } from "../../store/database/changes.ts";
import { type Database, transactData } from "../../store/database/database.ts";
import type { DataQueries } from "../../store/database/sides.ts";
import { findInstallation, type InstallationRow } from "../../store/integrations/installations.ts";
import { getInstallationFields } from "../../store/deliveries/events.ts";
import { findIntegration } from "../../store/integrations/integrations.ts";
import { findConnection } from "../../store/connections/connections.ts";
import {
  buildAccountRef,
  insertReadObject,
  listReadObjects,
  makeMissedDue,
  removeReadObject,
  unpauseReadObjects,
  updateReadObject,
  type ReadObjectRow,
} from "../../store/reads/read-objects.ts";
import {
  insertReadRuns,
  stopRuns,
  takeBackBackfill,
  wakeRuns,
  type ReadKind,
} from "../../store/reads/read-runs.ts";
import {
  takeInstallationReadSync,
  takeSyncs,
  type QueuedSync,
} from "../../store/integrations/installation-syncs.ts";
import { dropUnwrittenStreaks } from "../../store/operations/failing-writes.ts";
import { findTickAfter } from "./begin-reads.ts";
import { readDefinitions, type ReadDefinition } from "../definition/read-definition.ts";
import { readSources } from "../definition/read-sources.ts";
import { toReadSpan } from "../definition/read-span.ts";

export interface SyncNowServices {
  database: Database;
  catalog: Catalog;
  /** Length of a minute of schedules. */
  minuteMs: number;
}

export interface SyncServices extends SyncNowServices {
  changes: Changes;
  log: Log;
  newRuns: NewWork;
}

const MAX_CONCURRENT = 20;
/** Finds installations that were queued while nobody listened, or by a process that died before it could tell. */
const LOOK_EVERY_MS = 3_000;

/** Processes installations as soon as they are queued. */
export function startSyncingReads(deps: SyncServices): Rounds {
  const rounds = startRounds({
    what: "bring read objects in line",
    log: deps.log,
    everyMs: LOOK_EVERY_MS,
    round: () => syncQueued(deps),
  });
  deps.changes.subscribe((change) => {
    if (!change || change.table === "read_syncs") rounds.wake();
  });
  return rounds;
}

/** Updates the read objects of queued installations. Returns whether more may be queued. */
export async function syncQueued(deps: SyncNowServices & Pick<SyncServices, "newRuns">): Promise<boolean> {
  const { taken, begun } = await transactData(deps.database, async (queries) => {
    const syncs = await takeSyncs(queries, "read_syncs", MAX_CONCURRENT);
    let count = 0;
    for (const sync of syncs) count += await syncInstallation(deps, queries, sync);
    return { taken: syncs.length, begun: count };
  });
  if (begun > 0) deps.newRuns.announce();
  return taken === MAX_CONCURRENT;
}

/**
 * Brings the objects of one installation in line, if it is queued. If another process is doing so, waits until that process
 * has committed.
 */
export async function syncNow(
  deps: SyncNowServices,
  queries: DataQueries,
  installation: Pick<InstallationRow, "id">,
): Promise<void> {
  const sync = await takeInstallationReadSync(queries, installation.id);
  if (sync) await syncInstallation(deps, queries, sync);
}

interface Situation {
  data: DataQueries;
  minuteMs: number;
  installation: InstallationRow<ConfigContent>;
  accountRef: string;
  /** Time from which changes of new objects are read. */
  time: Date;
}

/** Returns how many backfills it began. */
async function syncInstallation(
  deps: SyncNowServices,
  queries: DataQueries,
  sync: QueuedSync,
): Promise<number> {
  const { projectId, installationId } = sync;
  const installation = await findInstallation<ConfigContent>(queries, projectId, installationId);
  const integration =
    installation &&
    (await findIntegration<ManifestIntegration>(queries, projectId, installation.integrationId));
  const connection = installation && (await findConnection(queries, projectId, installation.connectionId));
  if (!installation || !integration || !connection) return 0;
  const isReadable = deps.catalog.of(projectId).connector(integration.provider)?.read !== undefined;
  const { content } = installation.config;
  const written = listWritableObjects(integration.latestRevision.content, content);
  await dropUnwrittenStreaks(
    queries,
    installationId,
    written.map(({ objectName }) => objectName),
  );
  const accountRef = buildAccountRef(connection.id, connection.providerWorkspaceRef);
  const rows = await listReadObjects(queries, projectId, installationId);
  const running = rows.map(({ objectName }) => objectName);
  const wanted = isReadable ? readDefinitions(await readSources(queries, integration, content, running)) : [];
  const situation = {
    data: queries,
    minuteMs: deps.minuteMs,
    installation,
    accountRef,
    time: sync.askedTime,
  };
  for (const row of rows) await dropIfGone(situation, row, wanted);
  const kept = new Map(
    rows.filter((row) => row.accountRef === accountRef).map((row) => [row.objectName, row]),
  );
  let begun = 0;
  for (const definition of wanted) {
    const row = kept.get(definition.objectName);
    if (row) await changeObject(situation, row, definition);
    else begun += await addObject(situation, definition);
  }
  // They may wait for this change: other credentials, another destination.
  await wakeRuns(queries, installationId);
  await makeMissedDue(queries, installationId);
  return begun;
}

async function dropIfGone(situation: Situation, row: ReadObjectRow, wanted: ReadDefinition[]): Promise<void> {
  const { data, installation, accountRef } = situation;
  const { objectName } = row;
  const isWanted = wanted.some((definition) => definition.objectName === objectName);
  if (isWanted && row.accountRef === accountRef) return;
  const reason = isWanted ? "another account was connected" : "the object is not read any more";
  await stop(situation, row, reason);
  await removeReadObject(data, installation.id, objectName);
}

/** Ends the runs of an object, all or those of `kinds`. */
async function stop(
  { data, installation }: Situation,
  { objectName, messageName }: Pick<ReadObjectRow, "objectName" | "messageName">,
  reason: string,
  kinds?: ReadKind[],
): Promise<void> {
  const installationId = installation.id;
  const error = `Stopped: ${reason}`;
  const result = `[${messageName}] ${error}`;
  const stopped = await stopRuns(data, { installationId, objectName, result, kinds });
  const triggered = stopped.filter(({ kind }) => kind === "triggered");
  if (triggered.length === 0) return;
  const fields = await getInstallationFields(data, installationId);
  const spans = triggered.map((run) => toReadSpan(run, messageName, run.untilTime));
  await recordEvents(
    data,
    spans.map((span) => readTriggeredError(fields, span, error)),
  );
}

/**
 * A new schedule counts from now; a pause that Busbar set is lifted, because its reason may be gone. A backfill of a
 * disabled object goes on when the object is enabled again, because it is read only once.
 */
async function changeObject(
  situation: Situation,
  row: ReadObjectRow,
  definition: ReadDefinition,
): Promise<void> {
  const { data, installation, minuteMs, time } = situation;
  const { objectName, messageName, destination, disabled } = definition;
  const installationId = installation.id;
  const schedule = disabled ? null : (definition.schedule ?? null);
  const isSame = schedule === row.schedule;
  const nextTick = isSame
    ? row.nextTick
    : schedule && findTickAfter({ installationId, objectName, schedule }, time, minuteMs);
  if (disabled) {
    // Runs before their object, like the commit of a page.
    await stop(situation, row, "the object was disabled", ["scheduled", "triggered"]);
    await takeBackBackfill(data, row);
  }
  const isDifferent =
    !isSame ||
    destination !== row.destination ||
    messageName !== row.messageName ||
    disabled !== row.disabled;
  if (isDifferent) {
    const settings = {
      messageName,
      destination,
      ...(destination !== row.destination && { destinationTime: time }),
      schedule,
      disabled,
      nextTick: nextTick || null,
    };
    await updateReadObject(data, { installationId, objectName, ...settings });
  }
  await unpauseReadObjects(data, { installationId, objectNames: [objectName], by: "auto" });
}

/** Returns 1 if a backfill begins with the object. */
async function addObject(situation: Situation, definition: ReadDefinition): Promise<number> {
  const { data, installation, accountRef, minuteMs, time } = situation;
  const { objectName, messageName, destination, disabled, backfill } = definition;
  const { id: installationId, projectId, integrationId, config } = installation;
  // Disabled from the beginning: it is read from the time when it is enabled.
  if (disabled) return 0;
  const schedule = definition.schedule ?? null;
  const operationId = newId();
  await insertReadObject(data, {
    installationId,
    objectName,
    projectId,
    accountRef,
    messageName,
    destination,
    destinationTime: time,
    schedule,
    nextTick:
      schedule === null ? null : findTickAfter({ installationId, objectName, schedule }, time, minuteMs),
    cursorTime: time,
    floorTime: backfill ? null : time,
    backfillId: backfill ? operationId : null,
  });
  if (!backfill) return 0;
  await insertReadRuns(data, [
    {
      operationId,
      projectId,
      integrationId,
      installationId,
      configId: config.id,
      objectName,
      messageName,
      kind: "backfill",
      sinceTime: "days" in backfill ? subtractDays(time, backfill.days) : null,
      untilTime: time,
      settles: false,
    },
  ]);
  return 1;
}

/** Not before 1970, where no record is older: earlier bounds are refused by some providers, and are no times at all in the end. */
const subtractDays = (time: Date, days: number): Date =>
  new Date(Math.max(0, time.getTime() - days * 86_400_000));
