/** POST /v1/projects/{projectIdOrName}/groups: names a customer before it connects. */
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
    description: "Not needed before connecting: a group is made when it is first named.",
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
