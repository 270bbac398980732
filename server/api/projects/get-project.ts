/** GET /v1/projects/{projectIdOrName} */
import { Type } from "typebox";
import { Problem } from "../../ground/errors.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { findProject } from "../../store/projects.ts";
import { ProjectSchema, toProject, type Retention } from "./project.ts";

export const getProject = (deps: { database: Database; config: Retention }) =>
  projectEndpoint({
    operationId: "getProject",
    tag: "Projects",
    summary: "Get a project",
    description: "By id or name.",
    query: Type.Object({
      includeEntitlements: Type.Optional(
        Type.Boolean({ description: "Adds `entitlements`. Default false." }),
      ),
    }),
    success: { status: 200, description: "The project.", schema: ProjectSchema },
    async handle({ project, query }) {
      const row = await findProject(deps.database.queries, project.id);
      if (!row) throw new Problem("not-found", { detail: "The project was deleted." });
      return toProject(row, query.includeEntitlements ? deps.config : undefined);
    },
  });
