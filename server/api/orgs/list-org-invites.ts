/** GET /v1/orgs/{orgId}/invites */
import { Type } from "typebox";
import { endpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { listInvites } from "../../store/people.ts";
import { InviteSchema, toInvite } from "./invite.ts";
import { getOwnOrg, OrgParams } from "./org.ts";

export const listOrgInvites = (deps: { database: Database }) =>
  endpoint({
    operationId: "listOrgInvites",
    tag: "Organisations",
    summary: "List invitations",
    description: "Open, accepted, revoked and expired invitations.",
    params: OrgParams,
    success: { status: 200, description: "The invitations, oldest first.", schema: Type.Array(InviteSchema) },
    async handle({ caller, params }) {
      const { id } = await getOwnOrg(deps.database.queries, caller, params.orgId);
      return (await listInvites(deps.database.queries, id)).map(toInvite);
    },
  });
