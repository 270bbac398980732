/** Members of an organisation: the endpoints that add, change and remove them. */
import { Type } from "typebox";
import { described } from "../../../ground/described.ts";
import { Problem } from "../../../ground/errors.ts";
import { isUuid } from "../../../ground/ids.ts";
import { toMemberProblem } from "../../../ground/member-problem.ts";
import type { Role } from "../../../ground/role.ts";
import { getMailDomain } from "../../access/get-mail-domain.ts";
import { type Caller, endpoint, route, type Route } from "../../http/endpoint.ts";
import { requireRoleIn } from "../../http/require-role.ts";
import { findClaimedDomain } from "../../store/access/claimed-domains.ts";
import { type Database, isUniqueViolation, transactControl } from "../../store/database/database.ts";
import type { ControlQueries } from "../../store/database/sides.ts";
import {
  findMember,
  findOrganization,
  insertMembership,
  lockOwners,
  type MemberRow,
  removeMembership,
  updateMembership as updateRow,
} from "../../store/access/organizations.ts";
import { findBuilder, findRole } from "../../store/access/people.ts";
import { OrgId } from "../members.ts";
import { MemberSchema, OrgParams, RoleSchema, toMember } from "./org.ts";

export const listMembershipRoutes = (deps: { database: Database }): Route[] => [
  route("POST /v1/orgs/{orgId}/memberships", "person", addUserToOrg(deps)),
  route("PATCH /v1/orgs/{orgId}/memberships/{builderId}", "person", updateMembership(deps)),
  route("DELETE /v1/orgs/{orgId}/memberships/{builderId}", "person", deleteMembership(deps)),
];

const MembershipParams = Type.Object({
  orgId: OrgId,
  builderId: Type.String({ description: "Id of the person." }),
});

/** Throws a 404 Problem. */
async function getMember(queries: ControlQueries, orgId: string, builderId: string): Promise<MemberRow> {
  const row = isUuid(builderId) ? await findMember(queries, orgId, builderId.toLowerCase()) : undefined;
  if (row) return row;
  throw new Problem("not-found", { detail: `This organisation has no member \`${builderId}\`.` });
}

/** Throws a 409 Problem: nobody could manage people and domains any more. */
async function requireAnotherOwner(queries: ControlQueries, orgId: string, builderId: string): Promise<void> {
  const owners = await lockOwners(queries, orgId);
  if (owners.some((owner) => owner.builderId !== builderId)) return;
  if (!owners.some((owner) => owner.builderId === builderId)) return;
  throw new Problem("conflict", {
    detail: "This is the organisation's last owner. Make another member an owner first.",
  });
}

const addUserToOrg = (deps: { database: Database }) =>
  endpoint({
    operationId: "addUserToOrg",
    tag: "Organisations",
    summary: "Add a person to an organisation",
    description:
      "An owner can add any builder. Other people can add themselves if their verified e-mail " +
      "address is in a domain that the organisation has claimed; they become editors.",
    params: OrgParams,
    role: "checked by the endpoint",
    body: Type.Object({
      builderId: Type.String({ description: "Id of the person." }),
      role: Type.Optional(
        described(RoleSchema, "The role of the person. Default: `editor`; only owners may send another."),
      ),
    }),
    success: { status: 201, description: "Added." },
    refusals: {
      400: "The person is already a member.",
      403: "You are not an owner and may not join without an invitation.",
      404: "The organisation or builder does not exist.",
    },
    async handle({ caller, params, body }) {
      const builderId = body.builderId.toLowerCase();
      const { role = "editor" } = body;
      await transactControl(deps.database, async (queries) => {
        const orgId = await findOrgId(queries, params.orgId);
        if (!(await mayAdd(queries, caller, { orgId, builderId, role }))) throw mayNot();
        const builder = isUuid(builderId) ? await findBuilder(queries, builderId) : undefined;
        if (!builder) {
          throw new Problem("not-found", { detail: `There is no builder \`${body.builderId}\`.` });
        }
        if (await findRole(queries, orgId, builderId)) throw isMember();
        await insertMembership(queries, { orgId, builderId, role });
      }).catch((error: unknown) => {
        // A concurrent call added the person first.
        throw isUniqueViolation(error, "memberships_pkey") ? isMember() : error;
      });
    },
  });

async function findOrgId(queries: ControlQueries, asked: string): Promise<string> {
  const org = isUuid(asked) ? await findOrganization(queries, asked.toLowerCase()) : undefined;
  if (org) return org.id;
  throw new Problem("not-found", { detail: `There is no organisation \`${asked}\`.` });
}

async function mayAdd(
  queries: ControlQueries,
  { builderId, email }: Caller,
  { orgId, builderId: added, role }: { orgId: string; builderId: string; role: Role },
): Promise<boolean> {
  if (builderId === undefined) return false;
  const own = await findRole(queries, orgId, builderId);
  if (own === "owner") return true;
  if (added !== builderId) return false;
  // A member who adds themselves gets "already a member" rather than "forbidden".
  if (own !== undefined) return true;
  if (role !== "editor") return false;
  const domain = email === undefined ? undefined : getMailDomain(email);
  return domain !== undefined && (await findClaimedDomain(queries, domain))?.orgId === orgId;
}

const mayNot = (): Problem =>
  new Problem("forbidden", {
    detail:
      "Only an owner can add people. You can add yourself if the organisation has claimed the domain of " +
      "your verified e-mail address.",
  });

const isMember = (): Problem => toMemberProblem("builderId", "is already in this organisation");

const updateMembership = (deps: { database: Database }) =>
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
      return transactControl(deps.database, async (queries) => {
        const { id: builderId } = await getMember(queries, orgId, params.builderId);
        if (role !== "owner") await requireAnotherOwner(queries, orgId, builderId);
        await updateRow(queries, { orgId, builderId, role });
        return toMember(await getMember(queries, orgId, builderId));
      });
    },
  });

const deleteMembership = (deps: { database: Database }) =>
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
      await transactControl(deps.database, async (queries) => {
        const { id: builderId } = await getMember(queries, orgId, params.builderId);
        await requireAnotherOwner(queries, orgId, builderId);
        await removeMembership(queries, orgId, builderId);
      });
    },
  });
