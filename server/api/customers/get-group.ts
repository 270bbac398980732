/** GET /v1/projects/{projectIdOrName}/groups/{groupRef} */
import { Type } from "typebox";
import { Problem } from "../../../ground/errors.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import { listGroups } from "../../store/customer-lists.ts";
import type { Database } from "../../store/database.ts";
import { CustomerSchema, toCustomer } from "./customer.ts";

export const getGroup = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "getGroup",
    tag: "Customers",
    summary: "Get a group",
    description: "Returns the group with the numbers of its connections and installations, and their health.",
    params: Type.Object({ groupRef: Type.String({ description: "Your own id for the customer." }) }),
    success: { status: 200, description: "The group.", schema: CustomerSchema },
    async handle({ project, params: { groupRef } }) {
      const filter = { projectId: project.id, groupRef };
      const [row] = await listGroups(deps.database.queries, filter, { limit: 1 });
      if (row) return toCustomer(row);
      throw new Problem("not-found", { detail: `There is no group \`${groupRef}\` in this project.` });
    },
  });
