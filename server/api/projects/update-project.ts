/** PATCH /v1/projects/{projectIdOrName} */
import { Type } from "typebox";
import { Problem } from "../../../ground/errors.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import { isUniqueViolation, type Database } from "../../store/database.ts";
import { updateProject as updateRow } from "../../store/projects.ts";
import { pickMasked, UpdateMask } from "../update-mask.ts";
import { AppNameSchema, checkProjectName, projectNameTaken, ProjectSchema, toProject } from "./project.ts";

const MEMBERS = ["appName", "name", "dropUnmappedFields", "production"] as const;

export const updateProject = (deps: { database: Database }) =>
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
        const row = await updateRow(deps.database.queries, project.id, change);
        if (row) return toProject(row);
      } catch (error) {
        if (isUniqueViolation(error, "projects_name_key"))
          throw projectNameTaken(change.name ?? "", "project.name");
        throw error;
      }
      throw new Problem("not-found", { detail: "The project was deleted." });
    },
  });
