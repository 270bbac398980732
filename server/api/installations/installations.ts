/** Installations: the endpoints that list, show and delete them, and the routes of all. */
import { Type } from "typebox";
import type { Log } from "../../../ground/log.ts";
import type { ConfigContent } from "../../../manifest/installation-config.ts";
import { buildConnectionsRemoved, buildInstallationDeleted } from "../../events/new-events.ts";
import { queueEvents } from "../../events/record-event.ts";
import { projectEndpoint, route, type Route } from "../../http/endpoint.ts";
import type { CallServices } from "../../operations/call-provider.ts";
import { removeUnusedConnections } from "../../store/connections/connections.ts";
import { listInstallationPage } from "../../store/connections/customer-lists.ts";
import { type Database, transactControl } from "../../store/database/database.ts";
import { getInstallationFields } from "../../store/deliveries/events.ts";
import {
  listInstallations as listRows,
  lockInstallation,
  removeInstallation,
} from "../../store/integrations/installations.ts";
import { listInShards } from "../../store/shards/ask-shards.ts";
import { deselectBeforeRemoval } from "../../subscribe/setup/deselect-objects.ts";
import { runInShardOfBody, runInShardOfInstallation, type InShards } from "../run-in-shard.ts";
import { getIntegrationRow } from "../integration.ts";
import { InstallationId, IntegrationIdOrName } from "../members.ts";
import { listQuery, listPage, describePage, describeTextQuery } from "../pages.ts";
import { INSTALLATION, INTEGRATION, PROJECT } from "../paths.ts";
import { requireGroup } from "../require-group.ts";
import type { AccountServices } from "./account-fields.ts";
import type { ChangeServices } from "./change-installation.ts";
import { createInstallation } from "./create-installation.ts";
import {
  getInstallationRow,
  describeInstallations,
  InstallationSchema,
  showInstallation,
  toInstallations,
} from "./installation.ts";
import { patchObjectConfigContent } from "./patch-object-config-content.ts";
import { updateInstallation } from "./update-installation.ts";

export const listInstallationRoutes = (
  deps: AccountServices & ChangeServices & CallServices & InShards & { log: Log },
): Route[] => [
  route(`GET ${PROJECT}/installations`, "full", listInstallationsForProject(deps)),
  route(`GET ${PROJECT}/installations:search`, "full", listProjectInstallations(deps)),
  route(`GET ${INTEGRATION}/installations`, "frontend", listInstallations(deps)),
  route(`POST ${INTEGRATION}/installations`, "frontend", runInShardOfBody(deps, createInstallation)),
  route(`GET ${INSTALLATION}`, "frontend", getInstallation(deps)),
  route(`PATCH ${INSTALLATION}`, "frontend", runInShardOfInstallation(deps, updateInstallation)),
  route(`DELETE ${INSTALLATION}`, "frontend", runInShardOfInstallation(deps, deleteInstallation)),
  route(
    `PATCH ${INTEGRATION}/objects/{objectName}/config-content`,
    "frontend",
    runInShardOfBody(deps, patchObjectConfigContent),
  ),
];

const listInstallationsForProject = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "listInstallationsForProject",
    tag: "Installations",
    summary: "List installations of the project",
    description: "Of all integrations, newest first. A `frontend` key must send `groupRef`.",
    query: Type.Object({
      groupRef: Type.Optional(Type.String({ description: "Return only this group's entries." })),
    }),
    success: { status: 200, description: "The installations.", schema: Type.Array(InstallationSchema) },
    async handle({ project, query, caller }) {
      requireGroup(caller, query);
      const { data } = deps.database;
      const rows = await listRows<ConfigContent>(data, project.id, query);
      return toInstallations(deps.database, project.id, rows);
    },
  });

const describeFilter = (what: string) =>
  Type.Optional(Type.String({ description: `Return only installations ${what}.` }));

const listProjectInstallations = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "listProjectInstallations",
    tag: "Installations",
    summary: "Search installations",
    description: "Of all integrations, newest first, in pages. All filters must match.",
    query: Type.Object({
      integration: describeFilter("of the integration of this id or name"),
      provider: describeFilter("of integrations with this provider"),
      groupRef: describeFilter("of this customer"),
      healthStatus: Type.Optional(
        Type.Enum(["healthy", "unhealthy"], { description: "Return only installations of this health." }),
      ),
      ...describeTextQuery("the names of customer, integration and provider, or the id"),
      ...listQuery,
    }),
    hasEntityTag: true,
    success: {
      status: 200,
      description: "A page.",
      schema: describePage(
        Type.Object({
          ...InstallationSchema.properties,
          integrationName: Type.String({ description: "Name of the integration." }),
        }),
      ),
    },
    async handle({ project, query }) {
      const { database } = deps;
      const filter = { ...query, projectId: project.id };
      // Only the health is in the shards.
      const asksAll = database.shards.length > 1 && query.healthStatus !== undefined;
      const page = await listPage(query, {
        list: (range) =>
          asksAll
            ? listInShards(
                database,
                (own) => listInstallationPage<ConfigContent>(own, { ...filter, isOwn: true }, range),
                { ...range, getPosition: ({ id }) => id },
              )
            : listInstallationPage<ConfigContent>(database.data, filter, range),
        show: (row) => row,
      });
      const shown = await describeInstallations(database, project.id, page.results);
      const names = new Map(page.results.map(({ id, integrationName }) => [id, integrationName]));
      const results = shown.installations.map((one) => ({
        ...one,
        integrationName: names.get(one.id) ?? "",
      }));
      const { unavailable = shown.unavailable } = page.pagination;
      return {
        results,
        pagination: { ...page.pagination, ...(unavailable.length > 0 && { unavailable }) },
      };
    },
  });

const listInstallations = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "listInstallations",
    tag: "Installations",
    summary: "List installations of an integration",
    description: "Newest first. A `frontend` key must send `groupRef`.",
    params: Type.Object({ integrationId: IntegrationIdOrName }),
    query: Type.Object({
      groupRef: Type.Optional(Type.String({ description: "Return only this group's entries." })),
    }),
    success: { status: 200, description: "The installations.", schema: Type.Array(InstallationSchema) },
    async handle({ project, params, query, caller }) {
      requireGroup(caller, query);
      const { control, data } = deps.database;
      const { id } = await getIntegrationRow(control, project.id, params.integrationId);
      const filter = { integrationId: id, groupRef: query.groupRef };
      return toInstallations(
        deps.database,
        project.id,
        await listRows<ConfigContent>(data, project.id, filter),
      );
    },
  });

const getInstallation = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "getInstallation",
    tag: "Installations",
    summary: "Get an installation",
    description: "With its configuration and connection.",
    params: Type.Object({ integrationId: IntegrationIdOrName, installationId: InstallationId }),
    success: { status: 200, description: "The installation.", schema: InstallationSchema },
    async handle({ project, params }) {
      const { control } = deps.database;
      const integration = await getIntegrationRow(control, project.id, params.integrationId);
      const row = await getInstallationRow(control, project.id, integration.id, params.installationId);
      return showInstallation(deps.database, row);
    },
  });

const deleteInstallation = (deps: CallServices & { log: Log }) =>
  projectEndpoint({
    operationId: "deleteInstallation",
    tag: "Installations",
    summary: "Delete an installation",
    description:
      "Deletes its connection as well, unless another installation uses it. Its operations can still be read.",
    params: Type.Object({ integrationId: IntegrationIdOrName, installationId: InstallationId }),
    success: { status: 204, description: "Deleted." },
    async handle({ project, params }) {
      const { control: outside } = deps.database;
      const of = await getIntegrationRow(outside, project.id, params.integrationId);
      const going = await getInstallationRow(outside, project.id, of.id, params.installationId);
      await deselectBeforeRemoval(deps, going.id);
      await transactControl(deps.database, async (queries) => {
        const integration = await getIntegrationRow(queries, project.id, params.integrationId);
        const find = () => getInstallationRow(queries, project.id, integration.id, params.installationId);
        await lockInstallation(queries, project.id, (await find()).id);
        const { id, config } = await find();
        const fields = await getInstallationFields(queries, id);
        const removed = await removeInstallation(queries, project.id, id);
        const gone = removed
          ? await removeUnusedConnections(queries, project.id, [removed.connectionId])
          : [];
        await queueEvents(queries, [
          buildInstallationDeleted(fields, config.content),
          ...buildConnectionsRemoved(gone, [fields]),
        ]);
      });
    },
  });
