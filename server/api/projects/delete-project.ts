/** DELETE /v1/projects/{projectIdOrName} */
import { Problem } from "../../../ground/errors.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import { type Database, transact } from "../../store/database.ts";
import { countInstallations, removeProject } from "../../store/projects.ts";

export const deleteProject = (deps: { database: Database }) =>
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
      await transact(deps.database, async (queries) => {
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
