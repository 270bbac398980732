/** Begins a triggered read: stores its operation and its run, which a worker executes. */
import { readTriggeredError } from "../../events/new-events.ts";
import { toEventRow } from "../../events/record-event.ts";
import { nowMs } from "../../../ground/clock.ts";
import { Problem } from "../../../ground/errors.ts";
import type { NewWork } from "../../jobs/new-work.ts";
import type { ProcessIdentity } from "../../jobs/process-identity.ts";
import type { InstallationCache } from "../../operations/installation-cache.ts";
import { findConnection } from "../../store/connections/connections.ts";
import { isUniqueViolation, transactData, type Database } from "../../store/database/database.ts";
import type { DataQueries } from "../../store/database/sides.ts";
import { findInstallation } from "../../store/integrations/installations.ts";
import { endOperations, insertOperations, type Actor } from "../../store/operations/operations.ts";
import { countTriggeredRuns, insertReadRuns } from "../../store/reads/read-runs.ts";
import type { ReadableObject } from "../definition/installed-object.ts";
import { NO_COUNTS, buildMetadata } from "../run/read-counts.ts";
import { toReadSpan, type RequestedSpan } from "../definition/read-span.ts";

export interface TriggerServices {
  database: Database;
  installations: InstallationCache;
  identity: ProcessIdentity;
  newRuns: NewWork;
}

/** Maximum number of triggered reads of an object that have not ended. */
const MAX_PER_OBJECT = 10;
const RETRY_AFTER_MS = 30_000;

/** Throws a 429 Problem while too many triggered reads of the object have not ended. An id begins only one read. */
export async function beginTriggeredRead(deps: TriggerServices, read: TriggeredRead): Promise<void> {
  try {
    await transactData(deps.database, (queries) => begin(deps, queries, read));
  } catch (error) {
    // A repeated request: the first one was committed after all.
    if (!isUniqueViolation(error, "operations_pkey")) throw error;
  }
  deps.newRuns.announce();
}

interface TriggeredRead {
  operationId: string;
  requestId: string;
  actor?: Actor | undefined;
  object: ReadableObject;
  span: RequestedSpan;
}

async function begin(deps: TriggerServices, queries: DataQueries, read: TriggeredRead): Promise<void> {
  const { installation } = read.object.installed;
  const { id, projectId, connectionId } = installation;
  const { objectName } = read.object.definition;
  if (!(await findInstallation(queries, projectId, id))) throw refuseUninstalled();
  if ((await countTriggeredRuns(queries, id, objectName)) >= MAX_PER_OBJECT) throw refuseTooMany(objectName);
  const connection = await findConnection(queries, projectId, connectionId);
  if (connection?.status === "bad_credentials") return endAtOnce(deps, queries, read);
  await insertReadRuns(queries, [
    { ...toRun(read), kind: "triggered", settles: false, messageName: read.object.definition.messageName },
  ]);
}

const toRun = ({ operationId, requestId, actor, object, span }: TriggeredRead) => {
  const { installation, integration } = object.installed;
  return {
    operationId,
    requestId,
    actor,
    projectId: installation.projectId,
    integrationId: integration.id,
    installationId: installation.id,
    configId: installation.config.id,
    objectName: object.definition.objectName,
    ...span,
  };
};

/** Ends the operation at once: nothing can be read until the customer has connected again. */
async function endAtOnce(
  { installations, identity }: TriggerServices,
  queries: DataQueries,
  read: TriggeredRead,
): Promise<void> {
  const { sinceTime, untilTime, operationId, ...operation } = toRun(read);
  const { messageName } = read.object.definition;
  const error = "The connection has bad credentials. The customer has to connect the account again.";
  await insertOperations(queries, [
    { ...operation, id: operationId, actionType: "read", claimedBy: identity.id },
  ]);
  const fields = await installations.findFields(operation.installationId);
  const span = toReadSpan({ sinceTime }, messageName, untilTime);
  const run = { ...operation, operationId, kind: "triggered" as const, sinceTime };
  await endOperations(queries, [
    {
      id: operationId,
      status: "failure",
      result: `[${messageName}] Error reading from provider: ${error}`,
      metadata: { objects: [messageName], ...buildMetadata(run, { messageName, untilTime }, NO_COUNTS) },
      log: [{ severity: "ERROR", msg: "Nothing was read", error }],
      ...(fields && { event: toEventRow(readTriggeredError(fields, span, error)) }),
    },
  ]);
}

const refuseUninstalled = (): Problem =>
  new Problem("not-found", { detail: "The installation has just been deleted. Create it again first." });

const refuseTooMany = (objectName: string): Problem =>
  new Problem("too-many-requests", {
    detail: `${MAX_PER_OBJECT} triggered reads of \`${objectName}\` are not over. Wait until one has ended.`,
    retryAfter: new Date(nowMs() + RETRY_AFTER_MS),
  });
