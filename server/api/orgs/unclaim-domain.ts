/** DELETE /v1/orgs/{orgId}/claimed-domains/{domain} */
import { Type } from "typebox";
import { Problem } from "../../../ground/errors.ts";
import { endpoint } from "../../http/endpoint.ts";
import { removeClaimedDomain } from "../../store/claimed-domains.ts";
import type { Database } from "../../store/database.ts";
import { OrgId } from "../members.ts";
import { readDomain } from "./claimed-domain.ts";

export const unclaimDomain = (deps: { database: Database }) =>
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
      if (await removeClaimedDomain(deps.database.queries, params.orgId.toLowerCase(), domain)) return;
      throw new Problem("not-found", { detail: `This organisation has not claimed \`${domain}\`.` });
    },
  });
