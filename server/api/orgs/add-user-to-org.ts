/** POST /v1/orgs/{orgId}/memberships: an owner lets a builder in, or a person of a claimed domain enters. */
import { Type } from "typebox";
import { mailDomain } from "../../access/mail-domain.ts";
import { Problem } from "../../ground/errors.ts";
import { isUuid } from "../../ground/ids.ts";
import { endpoint, type Caller } from "../../http/endpoint.ts";
import { findClaimedDomain } from "../../store/claimed-domains.ts";
import { isUniqueViolation, transact, type Database, type Queries } from "../../store/database.ts";
import { findOrganization, insertMembership } from "../../store/organizations.ts";
import { findBuilder, findRole } from "../../store/people.ts";
import { OrgParams } from "./org.ts";

export const addUserToOrg = (deps: { database: Database }) =>
  endpoint({
    operationId: "addUserToOrg",
    tag: "Organisations",
    summary: "Add a person to an organisation",
    description:
      "An owner adds any builder, as an editor. Everybody else may add themselves, where their address, as their " +
      "sign-in vouches for it, is in a domain that the organisation has claimed.",
    params: OrgParams,
    body: Type.Object({ builderId: Type.String({ description: "Id of the person." }) }),
    success: { status: 201, description: "They are in." },
    refusals: {
      400: "They are in already.",
      403: "You are not an owner, nor may you enter by yourself.",
      404: "There is no such organisation or builder.",
    },
    async handle({ caller, params, body }) {
      const builderId = body.builderId.toLowerCase();
      await transact(deps.database, async (queries) => {
        const orgId = await orgIdOf(queries, params.orgId);
        if (!(await mayAdd(queries, caller, orgId, builderId))) throw mayNot();
        const builder = isUuid(builderId) ? await findBuilder(queries, builderId) : undefined;
        if (!builder) {
          throw new Problem("not-found", { detail: `There is no builder \`${body.builderId}\`.` });
        }
        if (await findRole(queries, orgId, builderId)) throw isMember();
        await insertMembership(queries, { orgId, builderId, role: "editor" });
      }).catch((error: unknown) => {
        // Added twice at once: the other call was first.
        throw isUniqueViolation(error, "memberships_pkey") ? isMember() : error;
      });
    },
  });

async function orgIdOf(queries: Queries, asked: string): Promise<string> {
  const org = isUuid(asked) ? await findOrganization(queries, asked.toLowerCase()) : undefined;
  if (org) return org.id;
  throw new Problem("not-found", { detail: `There is no organisation \`${asked}\`.` });
}

async function mayAdd(
  queries: Queries,
  { builderId, email }: Caller,
  orgId: string,
  added: string,
): Promise<boolean> {
  if (builderId === undefined) return false;
  const role = await findRole(queries, orgId, builderId);
  if (role === "owner") return true;
  if (added !== builderId) return false;
  // A member who adds themselves is told that they are in, not that they may not.
  if (role !== undefined) return true;
  const domain = email === undefined ? undefined : mailDomain(email);
  return domain !== undefined && (await findClaimedDomain(queries, domain))?.orgId === orgId;
}

const mayNot = (): Problem =>
  new Problem("forbidden", {
    detail:
      "Only an owner adds people. You may add yourself where the organisation has claimed the domain of the " +
      "address that your sign-in vouches for.",
  });

const isMember = (): Problem => {
  const detail = "is in this organisation already";
  return new Problem("invalid-request", {
    detail: `builderId: ${detail}`,
    issues: [{ in: "body", name: "builderId", detail }],
  });
};
