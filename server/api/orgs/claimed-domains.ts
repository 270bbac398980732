/** Domains that an organisation claimed: shape and endpoints. */
import { type Static, Type } from "typebox";
import { type Issue, Problem } from "../../../ground/errors.ts";
import { isFreeMail, getMailDomain } from "../../access/get-mail-domain.ts";
import { type Caller, endpoint, route, type Route } from "../../http/endpoint.ts";
import { requireRoleIn } from "../../http/require-role.ts";
import {
  type ClaimedDomainRow,
  findClaimedDomain,
  insertClaimedDomain,
  listClaimedDomains,
  removeClaimedDomain,
} from "../../store/access/claimed-domains.ts";
import { type Database, isUniqueViolation } from "../../store/database/database.ts";
import type { ControlQueries } from "../../store/database/sides.ts";
import { findRole } from "../../store/access/people.ts";
import { OrgId } from "../members.ts";
import { getOwnOrg, OrgParams } from "./org.ts";

export const listClaimedDomainRoutes = (deps: { database: Database }): Route[] => [
  route("GET /v1/orgs/{orgId}/claimed-domains", "person", listOrgClaimedDomains(deps)),
  route("DELETE /v1/orgs/{orgId}/claimed-domains/{domain}", "person", unclaimDomain(deps)),
  route("GET /v1/claimed-domains", "person", checkClaimedDomain(deps)),
  route("POST /v1/claimed-domains", "person", claimDomain(deps)),
];

const ClaimedDomainSchema = Type.Object(
  {
    id: Type.String({ description: "Id of the claimed domain." }),
    parentType: Type.Literal("org", { description: "Always `org`." }),
    parentId: OrgId,
    domain: Type.String({ description: "The e-mail domain in lower case." }),
  },
  {
    title: "ClaimedDomain",
    description:
      "An e-mail domain. People with an address in it may join the organisation without an invitation.",
  },
);

const toClaimedDomain = ({ id, orgId, domain }: ClaimedDomainRow): Static<typeof ClaimedDomainSchema> => ({
  id,
  parentType: "org",
  parentId: orgId,
  domain,
});

const EnteredDomain = Type.String({
  minLength: 1,
  maxLength: 2_000,
  description: "A domain, or an e-mail address or URL in it.",
});

/** Returns the domain of what was entered. Throws a 400 Problem. */
function readDomain(entered: string, place: Issue["in"]): string {
  const domain = getMailDomain(entered);
  if (domain) return domain;
  throw refuseDomain(place, entered, "is not a domain: it needs a name and an ending, such as example.com");
}

const refuseDomain = (place: Issue["in"], value: string, detail: string): Problem =>
  new Problem("invalid-request", {
    detail: `domain: ${detail}`,
    issues: [{ in: place, name: "domain", detail, value: value.slice(0, 100) }],
  });

const listOrgClaimedDomains = (deps: { database: Database }) =>
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
      const { id } = await getOwnOrg(deps.database.control, caller, params.orgId);
      return (await listClaimedDomains(deps.database.control, id)).map(toClaimedDomain);
    },
  });

const claimDomain = (deps: { database: Database }) =>
  endpoint({
    operationId: "claimDomain",
    tag: "Organisations",
    summary: "Claim an e-mail domain",
    description:
      "For owners. People with a verified address in the domain can then join the organisation without an " +
      "invitation (`POST /v1/orgs/{orgId}/memberships`). Domains of free mail providers are refused. Busbar " +
      "does not check that you own the domain: a claim only lets people join your organisation.",
    body: Type.Object({
      domain: EnteredDomain,
      parentType: Type.Literal("org", { description: "Always `org`." }),
      parentId: OrgId,
    }),
    success: { status: 201, description: "Claimed." },
    refusals: {
      400: "The value is not a domain, or anybody can get an address in it.",
      403: "You are not an owner of the organisation.",
      409: "An organisation has already claimed the domain.",
    },
    async handle({ caller, body }) {
      requireRoleIn(caller, body.parentId, "owner");
      const domain = readDomain(body.domain, "body");
      if (isFreeMail(domain)) {
        throw refuseDomain(
          "body",
          body.domain,
          `anybody can have an address at ${domain}; claim a domain of your own`,
        );
      }
      try {
        await insertClaimedDomain(deps.database.control, body.parentId.toLowerCase(), domain);
      } catch (error) {
        if (!isUniqueViolation(error, "claimed_domains_domain_key")) throw error;
        throw new Problem("conflict", { detail: `An organisation has claimed \`${domain}\` already.` });
      }
    },
  });

const checkClaimedDomain = (deps: { database: Database }) =>
  endpoint({
    operationId: "checkClaimedDomain",
    tag: "Organisations",
    summary: "Look up the organisation that claimed a domain",
    description:
      "For owners of the organisation and for people with an address in the domain; answers 404 for others.",
    query: Type.Object({ domain: EnteredDomain }),
    success: { status: 200, description: "The claim.", schema: ClaimedDomainSchema },
    refusals: { 404: "The domain is not claimed, or you may not see the claim." },
    async handle({ caller, query }) {
      const domain = readDomain(query.domain, "query");
      const row = await findClaimedDomain(deps.database.control, domain);
      if (row && (await maySee(deps.database.control, caller, row))) return toClaimedDomain(row);
      throw new Problem("not-found", {
        detail: `No organisation that you belong to, or could join, has claimed \`${domain}\`.`,
      });
    },
  });

async function maySee(
  queries: ControlQueries,
  caller: Caller,
  { orgId, domain }: ClaimedDomainRow,
): Promise<boolean> {
  if (caller.email !== undefined && getMailDomain(caller.email) === domain) return true;
  return caller.builderId !== undefined && (await findRole(queries, orgId, caller.builderId)) === "owner";
}

const unclaimDomain = (deps: { database: Database }) =>
  endpoint({
    operationId: "unclaimDomain",
    tag: "Organisations",
    summary: "Give up a claimed domain",
    description: "For owners. People who joined through it stay.",
    params: Type.Object({ orgId: OrgId, domain: Type.String({ description: "The e-mail domain." }) }),
    role: "owner",
    success: { status: 204, description: "The domain is no longer claimed." },
    refusals: { 404: "The organisation has not claimed the domain." },
    async handle({ params }) {
      const domain = readDomain(params.domain, "path");
      if (await removeClaimedDomain(deps.database.control, params.orgId.toLowerCase(), domain)) return;
      throw new Problem("not-found", { detail: `This organisation has not claimed \`${domain}\`.` });
    },
  });
