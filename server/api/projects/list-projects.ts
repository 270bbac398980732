/** GET /v1/projects */
import { Type } from "typebox";
import { endpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { findProject, listProjects as listRows } from "../../store/projects.ts";
import { ProjectSchema, toProject } from "./project.ts";

export const listProjects = (deps: { database: Database }) =>
  endpoint({
    operationId: "listProjects",
    tag: "Projects",
    summary: "List projects",
    description:
      "The projects that the credential has access to: for an API key its own project, for a person those " +
      "of their organisations.",
    success: { status: 200, description: "The projects.", schema: Type.Array(ProjectSchema) },
    async handle({ caller }) {
      const lists = [...(caller.roles?.keys() ?? [])].map((orgId) => listRows(deps.database.queries, orgId));
      if (caller.roles) return (await Promise.all(lists)).flat().map((project) => toProject(project));
      const row = caller.projectId ? await findProject(deps.database.queries, caller.projectId) : undefined;
      return row ? [toProject(row)] : [];
    },
  });
