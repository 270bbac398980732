/** POST /v1/orgs/{orgId}/memberships: an owner adds a builder, or a person of a claimed domain joins. */
import { Type } from "typebox";
import { mailDomain } from "../../access/mail-domain.ts";
import { described } from "../../../ground/described.ts";
import { Problem } from "../../../ground/errors.ts";
import { memberProblem } from "../../../ground/member-problem.ts";
import { isUuid } from "../../../ground/ids.ts";
import type { Role } from "../../../ground/role.ts";
import { endpoint, type Caller } from "../../http/endpoint.ts";
import { findClaimedDomain } from "../../store/claimed-domains.ts";
import { isUniqueViolation, transact, type Database, type Queries } from "../../store/database.ts";
import { findOrganization, insertMembership } from "../../store/organizations.ts";
import { findBuilder, findRole } from "../../store/people.ts";
import { OrgParams, RoleSchema } from "./org.ts";

export const addUserToOrg = (deps: { database: Database }) =>
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
      await transact(deps.database, async (queries) => {
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

async function findOrgId(queries: Queries, asked: string): Promise<string> {
  const org = isUuid(asked) ? await findOrganization(queries, asked.toLowerCase()) : undefined;
  if (org) return org.id;
  throw new Problem("not-found", { detail: `There is no organisation \`${asked}\`.` });
}

async function mayAdd(
  queries: Queries,
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
  const domain = email === undefined ? undefined : mailDomain(email);
  return domain !== undefined && (await findClaimedDomain(queries, domain))?.orgId === orgId;
}

const mayNot = (): Problem =>
  new Problem("forbidden", {
    detail:
      "Only an owner can add people. You can add yourself if the organisation has claimed the domain of " +
      "your verified e-mail address.",
  });

const isMember = (): Problem => memberProblem("builderId", "is already in this organisation");
