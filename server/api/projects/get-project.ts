/** GET /v1/projects/{projectIdOrName} */
import { Type } from "typebox";
import { Problem } from "../../../ground/errors.ts";
import { appliedDays, retentionBounds, type RetentionConfig } from "../../../ground/retention-bounds.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { findOwnRetention } from "../../store/project-retention.ts";
import { findProject } from "../../store/projects.ts";
import { ProjectSchema, toProject } from "./project.ts";

export const getProject = (deps: { database: Database; config: RetentionConfig }) =>
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
      const { queries } = deps.database;
      const row = await findProject(queries, project.id);
      if (!row) throw new Problem("not-found", { detail: "The project was deleted." });
      if (!query.includeEntitlements) return toProject(row);
      const { operations } = await findOwnRetention(queries, project.id);
      return toProject(row, appliedDays(retentionBounds(deps.config).operations, operations));
    },
  });
