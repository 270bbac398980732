/** For tests only: installations in a database, whose reads are brought in line and begun by hand. */
import { NewWork } from "../jobs/new-work.ts";
import { testDatabase, type Scope } from "../../tests/harness/database.ts";
import { buildCatalog } from "../../connectors/catalog.ts";
import { bootstrap } from "../access/bootstrap.ts";
import { createLog } from "../../ground/log.ts";
import { newId } from "../../ground/ids.ts";
import type { ConfigContent, ConfigReadObject } from "../../manifest/installation-config.ts";
import type { ReadObject } from "../../manifest/manifest.ts";
import { insertConnection } from "../store/connections.ts";
import { upsertConsumer, upsertGroup } from "../store/customers.ts";
import { insertDestination } from "../store/destinations.ts";
import { insertConfig, insertInstallation } from "../store/installations.ts";
import { findIntegration, upsertIntegration } from "../store/integrations.ts";
import { openInstallationCache } from "../operations/installation-cache.ts";
import { listenForChanges } from "../store/changes.ts";
import type { Queries } from "../store/database.ts";
import { listReadObjects, type ReadObjectRow } from "../store/read-objects.ts";
import { claimRuns, insertReadRuns, type ClaimedRun, type ReadKind } from "../store/read-runs.ts";
import { choosing, reading } from "./read-fixture.ts";
import { findReadTarget, findRunOwner } from "./read-target.ts";
import { syncQueued } from "./sync-read-objects.ts";

export const MINUTE_MS = 60_000;
export const WORKER = 7;

export type Installations = Awaited<ReturnType<typeof openInstallations>>;

/** Opens a project with the integration `crm` of HubSpot, which reads objects of this manifest, and a destination. */
export async function openInstallations(scope: Scope, ...objects: Partial<ReadObject>[]) {
  const database = await testDatabase(scope);
  const { queries } = database;
  const catalog = buildCatalog();
  const first = await queries.transaction().execute((deps) => bootstrap(deps, { org: "o", project: "p" }));
  const { projectId } = first;
  const deployAll = (how: { destructive: boolean }, ...read: Partial<ReadObject>[]) =>
    upsertIntegration(queries, {
      projectId,
      name: "crm",
      provider: "hubspot",
      specVersion: "1.0.0",
      content: reading(...read),
      createdBy: "system",
      ...how,
    });
  const deploy = (...read: Partial<ReadObject>[]) => deployAll({ destructive: false }, ...read);
  const { id: integrationId } = await deploy(...objects);
  const destinationId = newId();
  await insertDestination(queries, {
    id: destinationId,
    projectId,
    name: "hook",
    type: "webhook",
    metadata: { url: "https://example.com" },
    secretsSealed: "",
  });

  const sync = () => syncQueued({ database, catalog, minuteMs: MINUTE_MS, newRuns: new NewWork() });
  const changes = await listenForChanges(database.connectionString, createLog("silent"));
  scope.after(() => changes.close());
  const installations = openInstallationCache({ database, changes });
  const found = { database, catalog, installations };
  const findOwner = async (run: ClaimedRun) => {
    const owner = await findRunOwner(found, run);
    if (!owner) throw new Error("the installation is gone");
    return owner;
  };
  const findTarget = async (run: ClaimedRun) => findReadTarget(found, run, await findOwner(run));
  const base = {
    database,
    queries,
    catalog,
    projectId,
    integrationId,
    destinationId,
    deploy,
    deployAll,
    sync,
    findOwner,
    findTarget,
  };
  return { ...base, ...openCustomers(base), ...checksSchemas(base) };
}

interface Project {
  queries: Queries;
  projectId: string;
  integrationId: string;
}

function openCustomers({ queries, projectId, integrationId }: Project) {
  const revisionId = async () =>
    (await findIntegration(queries, projectId, integrationId))?.latestRevision.id ?? "";
  async function connect(groupRef: string, providerWorkspaceRef?: string) {
    const group = await upsertGroup(queries, { projectId, groupRef });
    const consumer = await upsertConsumer(queries, { projectId, consumerRef: groupRef });
    const connectionId = newId();
    await insertConnection(queries, {
      id: connectionId,
      projectId,
      provider: "hubspot",
      groupId: group.id,
      consumerId: consumer.id,
      authScheme: "oauth2",
      ...(providerWorkspaceRef !== undefined && { providerWorkspaceRef }),
      providerMetadata: {},
      credentialsSealed: "",
    });
    return { groupId: group.id, connectionId };
  }
  /** Installs for a new customer whose configuration chooses these objects. */
  async function install(groupRef: string, ...chosen: Partial<ConfigReadObject>[]) {
    const { groupId, connectionId } = await connect(groupRef, groupRef);
    const row = { projectId, integrationId, groupId, connectionId, createdBy: "t" };
    const content = choosing(...chosen);
    const { id } = await insertInstallation(queries, { ...row, revisionId: await revisionId(), content });
    return { id, connectionId };
  }
  async function configure(installationId: string, content: ConfigContent) {
    const row = { projectId, installationId, createdBy: "t", revisionId: await revisionId() };
    await insertConfig(queries, { ...row, content });
  }
  return { connect, install, configure };
}

function checksSchemas({ queries, projectId, integrationId }: Project) {
  /** Begins a read of all records. */
  const begin = (installationId: string, kind: ReadKind, objectName = "account") =>
    insertReadRuns(queries, [
      {
        operationId: newId(),
        projectId,
        integrationId,
        installationId,
        configId: newId(),
        objectName,
        messageName: objectName,
        kind,
        sinceTime: null,
        untilTime: null,
        settles: false,
      },
    ]);
  const listEvents = async (type: string) =>
    (await queries.selectFrom("events").select("data").where("type", "=", type).execute()).map(
      ({ data }) => data as Record<string, unknown>,
    );
  const listObjects = async (installationId: string): Promise<ReadObjectRow[]> =>
    listReadObjects(queries, projectId, installationId);
  /** The read of this installation and kind, claimed. */
  async function claim(installationId: string, kind: ReadKind): Promise<ClaimedRun> {
    const { operationId } = await queries
      .selectFrom("readRuns")
      .select("operationId")
      .where("installationId", "=", installationId)
      .where("kind", "=", kind)
      .executeTakeFirstOrThrow();
    const [run] = await claimRuns(queries, WORKER, [operationId]);
    if (!run) throw new Error("the run is not due");
    return run;
  }
  const operations = (installationId: string) =>
    queries
      .selectFrom("operations")
      .select(["id", "objectName", "status", "result", "metadata", "log"])
      .where("installationId", "=", installationId)
      .orderBy("id")
      .execute();
  const runs = (installationId: string) =>
    queries
      .selectFrom("readRuns")
      .select([
        "operationId",
        "objectName",
        "kind",
        "sinceTime",
        "untilTime",
        "claimedBy",
        "dueTime",
        "settles",
      ])
      .where("installationId", "=", installationId)
      .orderBy("seq")
      .execute();
  return { listObjects, begin, claim, operations, runs, listEvents };
}
