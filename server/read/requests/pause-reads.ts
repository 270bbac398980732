/** POST …/installations/{installationId}:pause and :unpause: stops and resumes reading by schedule. */
import type { CustomerShards } from "../../operations/customer-shards.ts";
import { Type } from "typebox";
import { Problem, type Issue } from "../../../ground/errors.ts";
import { suggestName } from "../../../ground/closest.ts";
import { now } from "../../../ground/clock.ts";
import { isUuid } from "../../../ground/ids.ts";
import { projectEndpoint, type Endpoint } from "../../http/endpoint.ts";
import type { NewWork } from "../../jobs/new-work.ts";
import type { ConfigContent } from "../../../manifest/installation-config.ts";
import type { ManifestIntegration } from "../../../manifest/manifest.ts";
import { transactData } from "../../store/database/database.ts";
import type { DataQueries } from "../../store/database/sides.ts";
import { findInstallation, type InstallationRow } from "../../store/integrations/installations.ts";
import { findIntegration, type IntegrationRow } from "../../store/integrations/integrations.ts";
import { listReadObjects, pauseReadObjects, unpauseReadObjects } from "../../store/reads/read-objects.ts";
import { readDefinitions, type ReadDefinition } from "../definition/read-definition.ts";
import { readSources } from "../definition/read-sources.ts";
import { syncNow, type SyncNowServices } from "../schedule/sync-read-objects.ts";
import { describeMissingIntegration } from "../../operations/missing-integration.ts";

export type PauseServices = SyncNowServices & { newRuns: NewWork };

const MAX_OBJECTS = 1_000;

const params = Type.Object({
  integrationId: Type.String({ description: "Id or name of the integration." }),
  installationId: Type.String({ description: "Id of the installation." }),
});

const buildBody = (note: string) =>
  Type.Object({
    objects: Type.Optional(
      Type.Array(Type.String(), {
        maxItems: MAX_OBJECTS,
        description:
          "Names of the objects, mapped or the provider's. Default: all that the installation reads; an empty list names none.",
      }),
    ),
    note: Type.Optional(Type.String({ maxLength: 1_000, description: note })),
  });

const success = { status: 204 as const, description: "Done, or already in this state." };

export const pauseReads = ({ shards }: { shards: CustomerShards<PauseServices> }): Endpoint =>
  projectEndpoint({
    operationId: "pauseReads",
    tag: "Read",
    summary: "Pause scheduled reads",
    description:
      "Stops reading by schedule, and the backfill, until `:unpause`. A read that is under way stops after its page and " +
      "goes on there later. Nothing is lost: changes of that time are read afterwards. Reads can still be triggered. An " +
      "object that is added later is not paused. The installation shows what is paused in `readPauses`.",
    params,
    body: buildBody("Why; shown in `readPauses`."),
    bodyOptional: true,
    success,
    async handle({ project, params: named, body }) {
      await changePauses(
        await shards.chooseByInstallation(project.id, named.installationId),
        { projectId: project.id, ...named, names: body?.objects },
        (queries, objects) =>
          pauseReadObjects(queries, {
            ...objects,
            pause: { by: "api", ...(body?.note && { note: body.note }), time: now().toISOString() },
          }),
      );
    },
  });

export const unpauseReads = ({ shards }: { shards: CustomerShards<PauseServices> }): Endpoint =>
  projectEndpoint({
    operationId: "unpauseReads",
    tag: "Read",
    summary: "Resume scheduled reads",
    description:
      "Resumes reads that `:pause` or Busbar itself has paused. Changes since then are read at once, not at the next " +
      "time of the schedule.",
    params,
    body: buildBody("Why. It is not kept."),
    bodyOptional: true,
    success,
    async handle({ project, params: named, body }) {
      const deps = await shards.chooseByInstallation(project.id, named.installationId);
      await changePauses(deps, { projectId: project.id, ...named, names: body?.objects }, unpauseReadObjects);
      deps.newRuns.announce();
    },
  });

interface Asked {
  projectId: string;
  integrationId: string;
  installationId: string;
  names: string[] | undefined;
}

/** Throws a Problem: 404 for the installation, 400 with an issue for each unknown object. */
async function changePauses(
  deps: PauseServices,
  asked: Asked,
  change: (queries: DataQueries, of: { installationId: string; objectNames: string[] }) => Promise<void>,
): Promise<void> {
  const { control, data } = deps.database;
  const { integration, installation } = await requireInstallation(data, asked);
  const { content } = installation.config;
  const running = (await listReadObjects(data, asked.projectId, installation.id)).map(
    ({ objectName }) => objectName,
  );
  const definitions = readDefinitions(await readSources(control, integration, content, running));
  const objectNames = listNamedObjects(definitions, asked.names);
  const { id: installationId } = installation;
  await transactData(deps.database, async (transaction) => {
    // Objects of a configuration that was saved a moment ago may not be there yet.
    await syncNow(deps, transaction, installation);
    await change(transaction, { installationId, objectNames });
  });
}

function listNamedObjects(definitions: ReadDefinition[], names: string[] | undefined): string[] {
  if (names === undefined) return definitions.map(({ objectName }) => objectName);
  const issues: Issue[] = [];
  const found = names.flatMap((name, index) => {
    const definition =
      definitions.find(({ objectName }) => objectName === name) ??
      definitions.find(({ messageName }) => messageName === name);
    if (!definition) issues.push(refuseUnknownObject(definitions, name, index));
    return definition ? [definition.objectName] : [];
  });
  const [first] = issues;
  if (!first) return found;
  throw new Problem("invalid-request", { detail: `${first.name}: ${first.detail} ${first.remedy}`, issues });
}

function refuseUnknownObject(definitions: ReadDefinition[], name: string, index: number): Issue {
  const names = definitions.map(({ messageName }) => messageName);
  const has = names.length > 0 ? `It reads: ${names.join(", ")}.` : "It reads no objects.";
  return {
    in: "body",
    name: `objects[${index}]`,
    detail: `The installation does not read \`${name}\`.`,
    value: name,
    remedy: suggestName(name, names, has),
  };
}

async function requireInstallation(
  queries: DataQueries,
  { projectId, integrationId, installationId }: Asked,
): Promise<{
  integration: IntegrationRow<ManifestIntegration>;
  installation: InstallationRow<ConfigContent>;
}> {
  const integration = await findIntegration<ManifestIntegration>(queries, projectId, integrationId);
  if (!integration) throw await describeMissingIntegration(queries, projectId, integrationId);
  const installation = isUuid(installationId)
    ? await findInstallation<ConfigContent>(queries, projectId, installationId)
    : undefined;
  if (installation?.integrationId === integration.id) return { integration, installation };
  throw new Problem("not-found", {
    detail: `There is no installation \`${installationId}\` of this integration.`,
  });
}
