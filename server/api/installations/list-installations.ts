/** GET /v1/projects/{projectIdOrName}/integrations/{integrationId}/installations */
import { Type } from "typebox";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { ConfigContent } from "../../../manifest/installation-config.ts";
import type { Database } from "../../store/database.ts";
import { listInstallations as listRows } from "../../store/installations.ts";
import { getIntegrationRow } from "../integration.ts";
import { IntegrationIdOrName } from "../members.ts";
import { requireGroup } from "../require-group.ts";
import { InstallationSchema, toInstallations } from "./installation.ts";

export const listInstallations = (deps: { database: Database }) =>
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
      const { queries } = deps.database;
      const { id } = await getIntegrationRow(queries, project.id, params.integrationId);
      const filter = { integrationId: id, groupRef: query.groupRef };
      return toInstallations(queries, project.id, await listRows<ConfigContent>(queries, project.id, filter));
    },
  });
