/** POST /v1/projects */
import { Type } from "typebox";
import { endpoint } from "../../http/endpoint.ts";
import { requireRoleIn } from "../../http/require-role.ts";
import { isUniqueViolation, type Database } from "../../store/database.ts";
import { insertProject } from "../../store/projects.ts";
import { OrgId } from "../members.ts";
import { getOwnOrg } from "../orgs/org.ts";
import { AppNameSchema, checkProjectName, projectNameTaken, ProjectSchema, toProject } from "./project.ts";

export const createProject = (deps: { database: Database }) =>
  endpoint({
    operationId: "createProject",
    tag: "Projects",
    summary: "Create a project",
    description:
      "In the caller's organisation; people need the role `editor` there. Afterwards create its first API key; any `full` key of the " +
      "organisation can do this.",
    body: Type.Object({
      orgId: OrgId,
      name: Type.String({ description: "2 to 128 letters, digits and hyphens. Unique, ignoring case." }),
      appName: AppNameSchema,
    }),
    success: { status: 201, description: "The project.", schema: ProjectSchema },
    refusals: { 422: "The name is taken or invalid." },
    async handle({ caller, body }) {
      const { id: orgId } = await getOwnOrg(deps.database.queries, caller, body.orgId);
      requireRoleIn(caller, orgId, "editor");
      const name = checkProjectName(body.name, "name");
      try {
        return toProject(await insertProject(deps.database.queries, { orgId, name, appName: body.appName }));
      } catch (error) {
        if (isUniqueViolation(error, "projects_name_key")) throw projectNameTaken(name, "name");
        throw error;
      }
    },
  });
