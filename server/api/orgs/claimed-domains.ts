/** Mail domains whose people may join an organisation by themselves: claimed, looked up, listed, given up. */
import { Type, type Static } from "typebox";
import { isFreeMail, mailDomain } from "../../access/mail-domain.ts";
import { Problem, type Issue } from "../../ground/errors.ts";
import { isUuid } from "../../ground/ids.ts";
import { endpoint, type Caller } from "../../http/endpoint.ts";
import {
  findClaimedDomain,
  insertClaimedDomain,
  listClaimedDomains,
  removeClaimedDomain,
  type ClaimedDomainRow,
} from "../../store/claimed-domains.ts";
import { isUniqueViolation, type Database, type Queries } from "../../store/database.ts";
import { findRole } from "../../store/people.ts";
import { OrgId } from "../members.ts";
import { getOwnOrg, OrgParams } from "./org.ts";

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

const Entered = Type.String({
  minLength: 1,
  maxLength: 2_000,
  description: "A domain, or an address or web address in it.",
});

export const checkClaimedDomain = (deps: { database: Database }) =>
  endpoint({
    operationId: "checkClaimedDomain",
    tag: "Organisations",
    summary: "Look up who claimed a domain",
    description:
      "For owners of the organisation that claimed it and for people with an address there; 404 for everybody else.",
    query: Type.Object({ domain: Entered }),
    success: { status: 200, description: "The claim.", schema: ClaimedDomainSchema },
    refusals: { 404: "Nobody has claimed it, or it is not for you to see." },
    async handle({ caller, query }) {
      const domain = readDomain(query.domain, "query");
      const row = await findClaimedDomain(deps.database.queries, domain);
      if (row && (await maySee(deps.database.queries, caller, row))) return toClaimedDomain(row);
      throw new Problem("not-found", {
        detail: `No organisation that you belong to, or could join, has claimed \`${domain}\`.`,
      });
    },
  });

export const claimDomain = (deps: { database: Database }) =>
  endpoint({
    operationId: "claimDomain",
    tag: "Organisations",
    summary: "Claim a mail domain",
    description:
      "For owners. People whose sign-in vouches for an address in the domain may then enter the organisation by " +
      "themselves (`POST /v1/orgs/{orgId}/memberships`). Domains of free mail providers are refused. Busbar does not " +
      "check that the domain is yours: a claim gives you nothing but people who ask to come in.",
    body: Type.Object({
      domain: Entered,
      parentType: Type.Literal("org", { description: "Always `org`." }),
      parentId: Type.String({ description: "Id of the organisation." }),
    }),
    success: { status: 201, description: "Claimed." },
    refusals: {
      400: "It is no domain, or anybody can have an address there.",
      403: "You are not an owner of the organisation.",
      409: "An organisation has claimed it already.",
    },
    async handle({ caller, body }) {
      const domain = readDomain(body.domain, "body");
      if (isFreeMail(domain)) {
        throw wrongDomain(
          "body",
          body.domain,
          `anybody can have an address at ${domain}; claim a domain of your own`,
        );
      }
      await requireOwner(deps.database.queries, caller, body.parentId);
      try {
        await insertClaimedDomain(deps.database.queries, body.parentId.toLowerCase(), domain);
      } catch (error) {
        if (!isUniqueViolation(error, "claimed_domains_domain_key")) throw error;
        throw new Problem("conflict", { detail: `An organisation has claimed \`${domain}\` already.` });
      }
    },
  });

export const listOrgClaimedDomains = (deps: { database: Database }) =>
  endpoint({
    operationId: "listOrgClaimedDomains",
    tag: "Organisations",
    summary: "List the domains an organisation has claimed",
    description: "The mail domains whose people may enter the organisation by themselves.",
    params: OrgParams,
    success: {
      status: 200,
      description: "The claims, oldest first.",
      schema: Type.Array(ClaimedDomainSchema),
    },
    async handle({ caller, params }) {
      const { id } = await getOwnOrg(deps.database.queries, caller, params.orgId);
      return (await listClaimedDomains(deps.database.queries, id)).map(toClaimedDomain);
    },
  });

export const unclaimDomain = (deps: { database: Database }) =>
  endpoint({
    operationId: "unclaimDomain",
    tag: "Organisations",
    summary: "Give up a claimed domain",
    description: "For owners. Who came in by it stays.",
    params: Type.Object({ orgId: OrgId, domain: Type.String({ description: "The e-mail domain." }) }),
    success: { status: 204, description: "Nobody has claimed it any more." },
    refusals: { 404: "The organisation has not claimed it." },
    async handle({ caller, params }) {
      await requireOwner(deps.database.queries, caller, params.orgId);
      const domain = readDomain(params.domain, "path");
      if (await removeClaimedDomain(deps.database.queries, params.orgId.toLowerCase(), domain)) return;
      throw new Problem("not-found", { detail: `This organisation has not claimed \`${domain}\`.` });
    },
  });

function readDomain(entered: string, place: Issue["in"]): string {
  const domain = mailDomain(entered);
  if (domain) return domain;
  throw wrongDomain(place, entered, "is no domain: it needs a name and an ending, such as example.com");
}

const wrongDomain = (place: Issue["in"], value: string, detail: string): Problem =>
  new Problem("invalid-request", {
    detail: `domain: ${detail}`,
    issues: [{ in: place, name: "domain", detail, value: value.slice(0, 100) }],
  });

async function maySee(
  queries: Queries,
  caller: Caller,
  { orgId, domain }: ClaimedDomainRow,
): Promise<boolean> {
  if (caller.email !== undefined && mailDomain(caller.email) === domain) return true;
  return caller.builderId !== undefined && (await findRole(queries, orgId, caller.builderId)) === "owner";
}

/** Whether the organisation exists or not: it is not the caller's to manage. */
async function requireOwner(queries: Queries, { builderId }: Caller, orgId: string): Promise<void> {
  const role = builderId && isUuid(orgId) ? await findRole(queries, orgId, builderId) : undefined;
  if (role === "owner") return;
  throw new Problem("forbidden", { detail: `You are not an owner of the organisation \`${orgId}\`.` });
}
