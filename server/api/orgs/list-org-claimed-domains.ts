/** GET /v1/orgs/{orgId}/claimed-domains */
import { Type } from "typebox";
import { endpoint } from "../../http/endpoint.ts";
import { listClaimedDomains } from "../../store/claimed-domains.ts";
import type { Database } from "../../store/database.ts";
import { ClaimedDomainSchema, toClaimedDomain } from "./claimed-domain.ts";
import { getOwnOrg, OrgParams } from "./org.ts";

export const listOrgClaimedDomains = (deps: { database: Database }) =>
  endpoint({
    operationId: "listOrgClaimedDomains",
    tag: "Organisations",
    summary: "List the domains an organisation has claimed",
    description: "The e-mail domains whose people can join the organisation without an invitation.",
    params: OrgParams,
    success: {
      status: 200,
      description: "The claims, oldest first.",
      schema: Type.Array(ClaimedDomainSchema),
    },
    async handle({ caller, params }) {
      const { id } = await getOwnOrg(deps.database.queries, caller, params.orgId);
      return (await listClaimedDomains(deps.database.queries, id)).map(toClaimedDomain);
    },
  });
