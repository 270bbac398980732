/** POST /v1/claimed-domains */
import { Type } from "typebox";
import { isFreeMail } from "../../access/mail-domain.ts";
import { Problem } from "../../../ground/errors.ts";
import { endpoint } from "../../http/endpoint.ts";
import { requireRoleIn } from "../../http/require-role.ts";
import { insertClaimedDomain } from "../../store/claimed-domains.ts";
import { isUniqueViolation, type Database } from "../../store/database.ts";
import { OrgId } from "../members.ts";
import { EnteredDomain, readDomain, wrongDomain } from "./claimed-domain.ts";

export const claimDomain = (deps: { database: Database }) =>
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
        throw wrongDomain(
          "body",
          body.domain,
          `anybody can have an address at ${domain}; claim a domain of your own`,
        );
      }
      try {
        await insertClaimedDomain(deps.database.queries, body.parentId.toLowerCase(), domain);
      } catch (error) {
        if (!isUniqueViolation(error, "claimed_domains_domain_key")) throw error;
        throw new Problem("conflict", { detail: `An organisation has claimed \`${domain}\` already.` });
      }
    },
  });
