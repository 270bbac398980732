/** POST /v1/projects/{projectIdOrName}/groups */
import { Type } from "typebox";
import { projectEndpoint } from "../../http/endpoint.ts";
import { upsertGroup } from "../../store/customers.ts";
import type { Database } from "../../store/database.ts";
import { GroupName, GroupRef } from "../members.ts";

export const createGroup = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "createGroup",
    tag: "Customers",
    summary: "Create or rename a group",
    description: "Optional: connecting creates a group if it does not exist.",
    body: Type.Object({
      groupRef: GroupRef,
      groupName: GroupName,
    }),
    success: { status: 201, description: "Created or renamed." },
    async handle({ project, body }) {
      await upsertGroup(deps.database.queries, {
        projectId: project.id,
        groupRef: body.groupRef,
        groupName: body.groupName,
      });
    },
  });
