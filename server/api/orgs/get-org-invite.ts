/** GET /v1/orgs/{orgId}/invites/{inviteId} */
import { endpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { findInvite } from "../../store/people.ts";
import { InviteParams, InviteSchema, noInvite, toInvite } from "./invite.ts";
import { getOwnOrg } from "./org.ts";

export const getOrgInvite = (deps: { database: Database }) =>
  endpoint({
    operationId: "getOrgInvite",
    tag: "Organisations",
    summary: "Get an invitation",
    description: "With its status.",
    params: InviteParams,
    success: { status: 200, description: "The invitation.", schema: InviteSchema },
    async handle({ caller, params }) {
      const { id } = await getOwnOrg(deps.database.queries, caller, params.orgId);
      const row = await findInvite(deps.database.queries, id, params.inviteId);
      if (!row) throw noInvite(params.inviteId);
      return toInvite(row);
    },
  });
