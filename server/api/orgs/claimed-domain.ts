/** The claimed domain as the API shows it, and how a domain is read. */
import { Type, type Static } from "typebox";
import { mailDomain } from "../../access/mail-domain.ts";
import { Problem, type Issue } from "../../../ground/errors.ts";
import type { ClaimedDomainRow } from "../../store/claimed-domains.ts";
import { OrgId } from "../members.ts";

export const ClaimedDomainSchema = Type.Object(
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

export const toClaimedDomain = ({
  id,
  orgId,
  domain,
}: ClaimedDomainRow): Static<typeof ClaimedDomainSchema> => ({
  id,
  parentType: "org",
  parentId: orgId,
  domain,
});

export const EnteredDomain = Type.String({
  minLength: 1,
  maxLength: 2_000,
  description: "A domain, or an e-mail address or URL in it.",
});

/** Returns the domain of what was entered. Throws a 400 Problem. */
export function readDomain(entered: string, place: Issue["in"]): string {
  const domain = mailDomain(entered);
  if (domain) return domain;
  throw wrongDomain(place, entered, "is not a domain: it needs a name and an ending, such as example.com");
}

export const wrongDomain = (place: Issue["in"], value: string, detail: string): Problem =>
  new Problem("invalid-request", {
    detail: `domain: ${detail}`,
    issues: [{ in: place, name: "domain", detail, value: value.slice(0, 100) }],
  });
