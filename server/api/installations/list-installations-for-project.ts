/** GET /v1/projects/{projectIdOrName}/installations */
import { Type } from "typebox";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { ConfigContent } from "../../../manifest/installation-config.ts";
import type { Database } from "../../store/database.ts";
import { listInstallations } from "../../store/installations.ts";
import { requireGroup } from "../require-group.ts";
import { InstallationSchema, toInstallations } from "./installation.ts";

export const listInstallationsForProject = (deps: { database: Database }) =>
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
      const { queries } = deps.database;
      const rows = await listInstallations<ConfigContent>(queries, project.id, query);
      return toInstallations(queries, project.id, rows);
    },
  });
