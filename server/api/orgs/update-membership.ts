/** PATCH /v1/orgs/{orgId}/memberships/{builderId} */
import { Type } from "typebox";
import { endpoint } from "../../http/endpoint.ts";
import { type Database, transact } from "../../store/database.ts";
import { updateMembership as updateRow } from "../../store/organizations.ts";
import { getMember, MembershipParams, requireAnotherOwner } from "./membership.ts";
import { MemberSchema, RoleSchema, toMember } from "./org.ts";

export const updateMembership = (deps: { database: Database }) =>
  endpoint({
    operationId: "updateMembership",
    tag: "Organisations",
    summary: "Change the role of a person",
    description: "Applies from the person's next request on. Refused with 409 for the last owner.",
    params: MembershipParams,
    role: "owner",
    body: Type.Object({ role: RoleSchema }),
    success: { status: 200, description: "The person with the new role.", schema: MemberSchema },
    refusals: { 404: "The person is not a member.", 409: "The person is the last owner." },
    async handle({ params, body: { role } }) {
      const orgId = params.orgId.toLowerCase();
      return transact(deps.database, async (queries) => {
        const { id: builderId } = await getMember(queries, orgId, params.builderId);
        if (role !== "owner") await requireAnotherOwner(queries, orgId, builderId);
        await updateRow(queries, { orgId, builderId, role });
        return toMember(await getMember(queries, orgId, builderId));
      });
    },
  });
