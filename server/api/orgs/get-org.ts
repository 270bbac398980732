/** GET /v1/orgs/{orgId} */
import { endpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { getOwnOrg, OrgParams, OrgSchema, toOrg } from "./org.ts";

export const getOrg = (deps: { database: Database }) =>
  endpoint({
    operationId: "getOrg",
    tag: "Organisations",
    summary: "Get an organisation",
    description:
      "Returns the credential's organisation. Any other is refused with 403, whether it exists or not.",
    params: OrgParams,
    success: { status: 200, description: "The organisation.", schema: OrgSchema },
    handle: async ({ caller, params }) => toOrg(await getOwnOrg(deps.database.queries, caller, params.orgId)),
  });
