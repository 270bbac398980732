/** Integrations and their revisions: endpoints; a batch and the hydrated revision have files of their own. */
import { type Static, Type } from "typebox";
import { Problem } from "../../../ground/errors.ts";
import type { ConfigContent } from "../../../manifest/installation-config.ts";
import { type ManifestIntegration, ManifestIntegrationSchema } from "../../../manifest/manifest.ts";
import { seesEveryGroup } from "../../access/actor.ts";
import { buildConnectionsRemoved, buildInstallationDeleted } from "../../events/new-events.ts";
import { queueEvents } from "../../events/record-event.ts";
import { projectEndpoint, route, type Route } from "../../http/endpoint.ts";
import { removeUnusedConnections } from "../../store/connections/connections.ts";
import { type Database, transactControl } from "../../store/database/database.ts";
import { listInstallationFields } from "../../store/deliveries/events.ts";
import { listInstallations, removeIntegrationInstallations } from "../../store/integrations/installations.ts";
import {
  insertIntegration,
  insertManifestSource,
  listIntegrationEntries,
  listIntegrations as listRows,
  lockIntegration,
  removeIntegration,
} from "../../store/integrations/integrations.ts";
import {
  findRevision,
  findRevisionEntry,
  listRevisionEntries,
  type RevisionEntry,
} from "../../store/integrations/revisions.ts";
import { showAuthor, showCreatedBy } from "../created-by.ts";
import { stopReadingWhatIsGone } from "../installations/change-installation.ts";
import {
  Destructive,
  getIntegrationRow,
  IntegrationSchema,
  RevisionSchema,
  toIntegration,
} from "../integration.ts";
import { IntegrationIdOrName, CreateTime } from "../members.ts";
import { listQuery, listPage, describePage } from "../pages.ts";
import { INTEGRATION, PROJECT } from "../paths.ts";
import { batchUpsertIntegrations } from "./batch-upsert-integrations.ts";
import { checkEntry, checkSources, deployIntegration, type DeployServices } from "./deploy-manifest.ts";
import { checkProviders, storeProviders } from "./deploy-providers.ts";
import { getHydratedRevision, type HydrateServices } from "./get-hydrated-revision.ts";
import { describeLostNames, refuseLostNames } from "./describe-lost-names.ts";
import { readManifestSource, ManifestSourceSchema } from "./read-manifest-source.ts";

export const listIntegrationRoutes = (deps: DeployServices & HydrateServices): Route[] => [
  route(`GET ${PROJECT}/integrations`, "frontend", listIntegrations(deps)),
  route(`POST ${PROJECT}/integrations`, "full", createIntegration(deps)),
  route(`PUT ${PROJECT}/integrations:batch`, "full", batchUpsertIntegrations(deps)),
  route(`GET ${PROJECT}/integrations/{integrationIdOrName}`, "frontend", getIntegration(deps)),
  route(`DELETE ${PROJECT}/integrations/{integrationIdOrName}`, "full", deleteIntegration(deps)),
  route(`POST ${INTEGRATION}/revisions`, "full", createRevision(deps)),
  route(`GET ${INTEGRATION}/revisions`, "full", listRevisions(deps)),
  route(`GET ${INTEGRATION}/revisions/{revisionId}`, "full", getRevision(deps)),
  route(`GET ${INTEGRATION}/revisions/{revisionId}:hydrate`, "frontend", getHydratedRevision(deps)),
];

const RevisionEntrySchema = Type.Object(
  {
    id: Type.String({ description: "Id of the revision." }),
    number: Type.Integer({ description: "Number of the revision in its integration, counted from 1." }),
    createTime: CreateTime,
    createdBy: Type.String({
      description:
        "Who deployed it: `builder:<id>`, `apiKey:<id>`, or `system` for revisions older than this member.",
    }),
    current: Type.Boolean({ description: "Whether it is the current revision." }),
  },
  { title: "RevisionEntry", description: "A revision in the list of an integration's revisions." },
);

const toRevisionEntry = (row: RevisionEntry): Static<typeof RevisionEntrySchema> => ({
  id: row.id,
  number: row.number,
  createTime: row.createTime.toISOString(),
  createdBy: row.createdBy,
  current: row.current,
});

const MEMBERS = RevisionEntrySchema.properties;
const count = (description: string) =>
  Type.Optional(
    Type.Integer({ description: `${description} Only for persons and keys with the scope \`full\`.` }),
  );

const ListedIntegrationSchema = Type.Object(
  {
    ...IntegrationSchema.properties,
    latestRevision: Type.Object(
      {
        ...RevisionSchema.properties,
        number: Type.Optional(MEMBERS.number),
        createdBy: Type.Optional(MEMBERS.createdBy),
      },
      {
        description:
          "The current revision. For persons and keys with the scope `full` also its number and author.",
      },
    ),
    installationCount: count("Installations of the integration."),
    unhealthyInstallationCount: count("Those of them whose `healthStatus` is `unhealthy`."),
  },
  {
    title: "ListedIntegration",
    description: "An integration in the list, with its latest revision and the health of its installations.",
  },
);

const listIntegrations = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "listIntegrations",
    tag: "Integrations",
    summary: "List integrations",
    description: "All integrations of the project with their latest revisions.",
    hasEntityTag: true,
    success: { status: 200, description: "The integrations.", schema: Type.Array(ListedIntegrationSchema) },
    async handle({ project, caller }) {
      const { control, data } = deps.database;
      // Other callers are customers' browsers: they see neither the number of customers nor who deployed.
      if (!seesEveryGroup(caller))
        return (await listRows<ManifestIntegration>(control, project.id)).map(toIntegration);
      const rows = await listIntegrationEntries<ManifestIntegration>(data, project.id);
      return rows.map((row) => {
        const { number, createdBy } = row.latestRevision;
        const { latestRevision, ...integration } = toIntegration(row);
        return {
          ...integration,
          latestRevision: { ...latestRevision, number, createdBy },
          installationCount: row.installationCount,
          unhealthyInstallationCount: row.unhealthyInstallationCount,
        };
      });
    },
  });

const getIntegration = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "getIntegration",
    tag: "Integrations",
    summary: "Get an integration",
    description: "By id or name, with its latest revision.",
    params: Type.Object({ integrationIdOrName: IntegrationIdOrName }),
    success: { status: 200, description: "The integration.", schema: IntegrationSchema },
    handle: async ({ project, params }) =>
      toIntegration(await getIntegrationRow(deps.database.control, project.id, params.integrationIdOrName)),
  });

const createIntegration = (deps: DeployServices) =>
  projectEndpoint({
    operationId: "createIntegration",
    tag: "Integrations",
    summary: "Create an integration",
    description:
      "From the content of one manifest entry instead of a file. `name` and `provider` must be the same as there.",
    body: Type.Object({
      name: Type.String({ minLength: 1, description: "Name of the integration, unique in the project." }),
      provider: Type.String({
        minLength: 1,
        description: "The provider's name in the catalog (`GET /v1/providers`).",
      }),
      latestRevision: Type.Object(
        {
          specVersion: Type.String({ description: "Version of the manifest format: `1.0.0`." }),
          content: Type.Record(Type.String(), Type.Unknown(), {
            shownAs: ManifestIntegrationSchema,
            description: "The integration, as in the manifest.",
          }),
        },
        { description: "The current revision." },
      ),
    }),
    success: { status: 201, description: "The integration was created." },
    refusals: {
      409: "The project has an integration of this name.",
      422: "The content is invalid: one issue per fault.",
    },
    async handle({ project, body, caller }) {
      const { name, provider, latestRevision } = body;
      const entry = { name, provider, ...latestRevision.content };
      const { specVersion, integrations } = await checkEntry(deps, project.id, {
        specVersion: latestRevision.specVersion,
        entry,
      });
      const [content] = integrations;
      if (!content || content.name !== name || content.provider !== provider) {
        const detail = "`name` and `provider` differ from those in `latestRevision.content`.";
        throw new Problem("semantically-invalid", { detail });
      }
      const created = await transactControl(deps.database, async (queries) =>
        insertIntegration(queries, {
          projectId: project.id,
          name,
          provider,
          specVersion,
          content,
          createdBy: showAuthor(caller),
        }),
      );
      if (created) return;
      throw new Problem("conflict", {
        detail: `There is an integration \`${name}\` already. Deploy a new revision of it.`,
      });
    },
  });

const deleteIntegration = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "deleteIntegration",
    tag: "Integrations",
    summary: "Delete an integration",
    description:
      "Deletes its revisions and installations as well, and the connections that no other installation uses.",
    params: Type.Object({ integrationIdOrName: IntegrationIdOrName }),
    success: { status: 204, description: "Deleted." },
    async handle({ project, params }) {
      await transactControl(deps.database, async (queries) => {
        const find = () => getIntegrationRow(queries, project.id, params.integrationIdOrName);
        await lockIntegration(queries, project.id, (await find()).id);
        const { id } = await find();
        const listed = await listInstallations<ConfigContent>(queries, project.id, { integrationId: id });
        const fields = await listInstallationFields(
          queries,
          listed.map((installation) => installation.id),
        );
        const removed = await removeIntegrationInstallations(queries, project.id, id);
        await removeIntegration(queries, project.id, id);
        const connectionIds = removed.map((installation) => installation.connectionId);
        const gone = await removeUnusedConnections(queries, project.id, connectionIds);
        // Another request may have deleted a listed installation, and reported it, in the meantime.
        const removedIds = new Set(removed.map((installation) => installation.id));
        const reported = listed.flatMap((installation) => {
          const of = removedIds.has(installation.id) ? fields.get(installation.id) : undefined;
          return of ? [buildInstallationDeleted(of, installation.config.content)] : [];
        });
        await queueEvents(queries, [...reported, ...buildConnectionsRemoved(gone, [...fields.values()])]);
      });
    },
  });

const listRevisions = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "listRevisions",
    tag: "Integrations",
    summary: "List the revisions of an integration",
    description: "Newest first, in pages, without their contents.",
    params: Type.Object({ integrationId: IntegrationIdOrName }),
    query: Type.Object(listQuery),
    hasEntityTag: true,
    success: { status: 200, description: "A page.", schema: describePage(RevisionEntrySchema) },
    async handle({ project, params, query }) {
      const { control } = deps.database;
      const { id } = await getIntegrationRow(control, project.id, params.integrationId);
      return listPage(query, {
        list: (range) => listRevisionEntries(control, { projectId: project.id, integrationId: id }, range),
        show: toRevisionEntry,
      });
    },
  });

const DeployedRevisionSchema = Type.Object(
  {
    ...RevisionEntrySchema.properties,
    specVersion: RevisionSchema.properties.specVersion,
    content: RevisionSchema.properties.content,
    source: Type.Optional(
      Type.String({
        description:
          "The whole `amp.yaml` as it was sent, with its comments and its other integrations. Absent if the revision " +
          "was not deployed from a file, or before the file was stored.",
      }),
    ),
  },
  { title: "DeployedRevision", description: "A revision with its content and the file that it came from." },
);

const getRevision = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "getRevision",
    tag: "Integrations",
    summary: "Get a revision",
    description:
      "Returns a revision, current or old, with its content and the file that it was deployed from.",
    params: Type.Object({
      integrationId: IntegrationIdOrName,
      revisionId: Type.String({ description: "Id of the revision." }),
    }),
    success: { status: 200, description: "The revision.", schema: DeployedRevisionSchema },
    async handle({ project, params }) {
      const { control } = deps.database;
      const integration = await getIntegrationRow(control, project.id, params.integrationId);
      const place = { projectId: project.id, integrationId: integration.id };
      const entry = await findRevisionEntry(control, place, params.revisionId);
      const revision = await findRevision<ManifestIntegration>(
        control,
        project.id,
        integration.id,
        params.revisionId,
      );
      if (!entry || !revision) {
        const detail = `\`${integration.name}\` has no revision \`${params.revisionId}\`.`;
        throw new Problem("not-found", { detail });
      }
      const { specVersion, content } = revision;
      return {
        ...toRevisionEntry(entry),
        specVersion,
        content,
        ...(entry.source !== null && { source: entry.source }),
      };
    },
  });

const createRevision = (deps: DeployServices) =>
  projectEndpoint({
    operationId: "createRevision",
    tag: "Integrations",
    summary: "Deploy one integration",
    description:
      "Creates a new revision of the integration from the manifest's entry of the same name. `providers` are deployed with it.",
    params: Type.Object({ integrationId: IntegrationIdOrName }),
    query: Type.Object({ destructive: Destructive }),
    body: ManifestSourceSchema,
    success: { status: 201, description: "The revision was created." },
    refusals: {
      409: "With `destructive=false`: installations can write to names that the manifest removes or renames.",
      422: "The manifest is invalid or has no integration of this name.",
    },
    async handle({ project, params, query, body, caller }) {
      const { control } = deps.database;
      const { name } = await getIntegrationRow(control, project.id, params.integrationId);
      const { source, documents } = await readManifestSource(control, project.id, body);
      const providers = await checkProviders(deps, documents);
      const { manifest } = await checkSources(deps, project.id, { source, providers });
      const content = manifest.integrations.find((integration) => integration.name === name);
      if (!content) {
        throw new Problem("semantically-invalid", {
          detail: `The manifest has no integration named \`${name}\`.`,
        });
      }
      await transactControl(deps.database, async (inside) => {
        await storeProviders(inside, project.id, providers, documents);
        const before = await getIntegrationRow(inside, project.id, name);
        const destructive = query.destructive === true;
        await deployIntegration(inside, project.id, {
          specVersion: manifest.specVersion,
          content,
          destructive,
          createdBy: showAuthor(caller),
          sourceId: await insertManifestSource(inside, { projectId: project.id, source }),
        });
        const row = await getIntegrationRow(inside, project.id, name);
        if (query.destructive === false) refuseLostNames(row, await describeLostNames(inside, before, row));
        if (!query.destructive) return;
        await stopReadingWhatIsGone(inside, row, showCreatedBy(caller, undefined, "create-revision"));
      });
      if (providers.size > 0) await deps.customProviders.load(deps, project.id);
    },
  });
