/** GET /v1/orgs/{orgId}/builders */
import { Type } from "typebox";
import { endpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { listBuilders } from "../../store/organizations.ts";
import { getOwnOrg, MemberSchema, OrgParams, toMember } from "./org.ts";

export const listOrgBuilders = (deps: { database: Database }) =>
  endpoint({
    operationId: "listOrgBuilders",
    tag: "Organisations",
    summary: "List the builders of an organisation",
    description: "All people of the organisation with their roles, including the owner.",
    params: OrgParams,
    success: { status: 200, description: "The people, oldest first.", schema: Type.Array(MemberSchema) },
    async handle({ caller, params }) {
      const { id } = await getOwnOrg(deps.database.queries, caller, params.orgId);
      return (await listBuilders(deps.database.queries, id)).map(toMember);
    },
  });
