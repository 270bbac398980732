/** GET /v1/claimed-domains */
import { Type } from "typebox";
import { mailDomain } from "../../access/mail-domain.ts";
import { Problem } from "../../../ground/errors.ts";
import { endpoint, type Caller } from "../../http/endpoint.ts";
import { findClaimedDomain, type ClaimedDomainRow } from "../../store/claimed-domains.ts";
import type { Database, Queries } from "../../store/database.ts";
import { findRole } from "../../store/people.ts";
import { ClaimedDomainSchema, EnteredDomain, readDomain, toClaimedDomain } from "./claimed-domain.ts";

export const checkClaimedDomain = (deps: { database: Database }) =>
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
      const row = await findClaimedDomain(deps.database.queries, domain);
      if (row && (await maySee(deps.database.queries, caller, row))) return toClaimedDomain(row);
      throw new Problem("not-found", {
        detail: `No organisation that you belong to, or could join, has claimed \`${domain}\`.`,
      });
    },
  });

async function maySee(
  queries: Queries,
  caller: Caller,
  { orgId, domain }: ClaimedDomainRow,
): Promise<boolean> {
  if (caller.email !== undefined && mailDomain(caller.email) === domain) return true;
  return caller.builderId !== undefined && (await findRole(queries, orgId, caller.builderId)) === "owner";
}
