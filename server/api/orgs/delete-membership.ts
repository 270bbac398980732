/** DELETE /v1/orgs/{orgId}/memberships/{builderId} */
import { endpoint } from "../../http/endpoint.ts";
import { requireRoleIn } from "../../http/require-role.ts";
import { type Database, transact } from "../../store/database.ts";
import { removeMembership } from "../../store/organizations.ts";
import { getMember, MembershipParams, requireAnotherOwner } from "./membership.ts";

export const deleteMembership = (deps: { database: Database }) =>
  endpoint({
    operationId: "deleteMembership",
    tag: "Organisations",
    summary: "Remove a person from an organisation",
    description:
      "For owners, and for people who leave. The person loses access with the next request. Keys that they " +
      "created stay valid, but sign nobody in to this organisation. Refused with 409 for the last owner.",
    params: MembershipParams,
    role: "checked by the endpoint",
    success: { status: 204, description: "Removed." },
    refusals: {
      403: "You are not an owner of the organisation, and it is not your own membership.",
      404: "The person is not a member.",
      409: "The person is the last owner.",
    },
    async handle({ caller, params }) {
      const orgId = params.orgId.toLowerCase();
      const isOwn = params.builderId.toLowerCase() === caller.builderId;
      requireRoleIn(caller, orgId, isOwn ? "viewer" : "owner");
      await transact(deps.database, async (queries) => {
        const { id: builderId } = await getMember(queries, orgId, params.builderId);
        await requireAnotherOwner(queries, orgId, builderId);
        await removeMembership(queries, orgId, builderId);
      });
    },
  });
