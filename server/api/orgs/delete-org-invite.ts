/** DELETE /v1/orgs/{orgId}/invites/{inviteId} */
import { endpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { findInvite, revokeInvite } from "../../store/people.ts";
import { InviteParams, noInvite } from "./invite.ts";
import { getOwnOrg } from "./org.ts";

export const deleteOrgInvite = (deps: { database: Database }) =>
  endpoint({
    operationId: "deleteOrgInvite",
    tag: "Organisations",
    summary: "Revoke an invitation",
    description: "The invitation can no longer be accepted. Answers 404 if it is not open.",
    params: InviteParams,
    role: "owner",
    success: { status: 204, description: "Revoked." },
    async handle({ caller, params }) {
      const { id } = await getOwnOrg(deps.database.queries, caller, params.orgId);
      const row = await findInvite(deps.database.queries, id, params.inviteId);
      if (!row || !(await revokeInvite(deps.database.queries, id, row.id))) throw noInvite(params.inviteId);
    },
  });
