/** Projects: endpoints. */
import { Type } from "typebox";
import { Problem } from "../../../ground/errors.ts";
import {
  applyBounds,
  computeRetentionBounds,
  type RetentionConfig,
} from "../../../ground/retention-bounds.ts";
import { endpoint, projectEndpoint, route, type Route } from "../../http/endpoint.ts";
import { requireRoleIn } from "../../http/require-role.ts";
import { type Database, isUniqueViolation, transactControl } from "../../store/database/database.ts";
import { findOwnRetention } from "../../store/access/project-retention.ts";
import {
  countInstallations,
  findProject,
  insertProject,
  listProjects as listRows,
  removeProject,
  updateProject as updateRow,
} from "../../store/access/projects.ts";
import { OrgId } from "../members.ts";
import { getOwnOrg } from "../orgs/org.ts";
import { PROJECT } from "../paths.ts";
import { pickMasked, UpdateMask } from "../update-mask.ts";
import { AppNameSchema, checkProjectName, refuseProjectName, ProjectSchema, toProject } from "./project.ts";

export const listProjectRoutes = (deps: { database: Database; config: RetentionConfig }): Route[] => [
  route("GET /v1/projects", "frontend", listProjects(deps)),
  route("POST /v1/projects", "full", createProject(deps)),
  route(`GET ${PROJECT}`, "frontend", getProject(deps)),
  route(`PATCH ${PROJECT}`, "full", updateProject(deps)),
  route(`DELETE ${PROJECT}`, "full", deleteProject(deps)),
];

const listProjects = (deps: { database: Database }) =>
  endpoint({
    operationId: "listProjects",
    tag: "Projects",
    summary: "List projects",
    description:
      "The projects that the credential has access to: for an API key its own project, for a person those " +
      "of their organisations.",
    success: { status: 200, description: "The projects.", schema: Type.Array(ProjectSchema) },
    async handle({ caller }) {
      const lists = [...(caller.roles?.keys() ?? [])].map((orgId) => listRows(deps.database.control, orgId));
      if (caller.roles) return (await Promise.all(lists)).flat().map((project) => toProject(project));
      const row = caller.projectId ? await findProject(deps.database.control, caller.projectId) : undefined;
      return row ? [toProject(row)] : [];
    },
  });

const getProject = (deps: { database: Database; config: RetentionConfig }) =>
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
      const { control } = deps.database;
      const row = await findProject(control, project.id);
      if (!row) throw new Problem("not-found", { detail: "The project was deleted." });
      if (!query.includeEntitlements) return toProject(row);
      const { operations } = await findOwnRetention(control, project.id);
      return toProject(row, applyBounds(computeRetentionBounds(deps.config).operations, operations));
    },
  });

const createProject = (deps: { database: Database }) =>
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
      const { id: orgId } = await getOwnOrg(deps.database.control, caller, body.orgId);
      requireRoleIn(caller, orgId, "editor");
      const name = checkProjectName(body.name, "name");
      try {
        return toProject(await insertProject(deps.database.control, { orgId, name, appName: body.appName }));
      } catch (error) {
        if (isUniqueViolation(error, "projects_name_key")) throw refuseProjectName(name, "name");
        throw error;
      }
    },
  });

const MEMBERS = ["appName", "name", "dropUnmappedFields", "production"] as const;

const updateProject = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "updateProject",
    tag: "Projects",
    summary: "Update a project",
    description: `\`updateMask\` may list ${MEMBERS.join(", ")}. The old name stops working immediately.`,
    body: Type.Object({
      updateMask: UpdateMask,
      project: Type.Object(
        {
          appName: Type.Optional(AppNameSchema),
          name: Type.Optional(
            Type.String({ description: "2 to 128 letters, digits and hyphens. Unique, ignoring case." }),
          ),
          dropUnmappedFields: Type.Optional(
            Type.Boolean({
              description: "Whether writes with an inherited mapping send mapped fields only.",
            }),
          ),
          production: Type.Optional(
            Type.Boolean({ description: "Whether it serves real customers. Default false." }),
          ),
        },
        { description: "New values of the members listed in `updateMask`." },
      ),
    }),
    success: { status: 200, description: "The updated project.", schema: ProjectSchema },
    refusals: { 422: "The name is taken or invalid." },
    async handle({ project, body }) {
      const change = pickMasked(body.updateMask, body.project, MEMBERS, "project");
      if (change.name !== undefined) change.name = checkProjectName(change.name, "project.name");
      try {
        const row = await updateRow(deps.database.control, project.id, change);
        if (row) return toProject(row);
      } catch (error) {
        if (isUniqueViolation(error, "projects_name_key"))
          throw refuseProjectName(change.name ?? "", "project.name");
        throw error;
      }
      throw new Problem("not-found", { detail: "The project was deleted." });
    },
  });

const deleteProject = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "deleteProject",
    tag: "Projects",
    summary: "Delete a project",
    description:
      "Deletes its keys, connections and operations as well. Refused with 422 while it has installations.",
    role: "owner",
    success: { status: 204, description: "Deleted." },
    refusals: { 422: "The project has installations." },
    async handle({ project }) {
      await transactControl(deps.database, async (queries) => {
        const installations = await countInstallations(queries, project.id);
        if (installations > 0) {
          throw new Problem("semantically-invalid", {
            detail: `The project has ${installations} installation${installations === 1 ? "" : "s"}. Delete ${installations === 1 ? "it" : "them"} first.`,
          });
        }
        await removeProject(queries, project.id);
      });
    },
  });
