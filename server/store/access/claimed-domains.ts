/** Mail domains that organisations have claimed. */
import { newId } from "../../../ground/ids.ts";
import type { ControlQueries } from "../database/sides.ts";

export interface ClaimedDomainRow {
  id: string;
  orgId: string;
  domain: string;
}

const COLUMNS = ["id", "orgId", "domain"] as const;

/** Violates `claimed_domains_domain_key` when the domain is claimed already. */
export async function insertClaimedDomain(
  queries: ControlQueries,
  orgId: string,
  domain: string,
): Promise<void> {
  await queries.insertInto("claimedDomains").values({ id: newId(), orgId, domain }).execute();
}

export const findClaimedDomain = (
  queries: ControlQueries,
  domain: string,
): Promise<ClaimedDomainRow | undefined> =>
  queries.selectFrom("claimedDomains").select(COLUMNS).where("domain", "=", domain).executeTakeFirst();

/** Lists domains in the order in which they were claimed. */
export const listClaimedDomains = (queries: ControlQueries, orgId: string): Promise<ClaimedDomainRow[]> =>
  queries.selectFrom("claimedDomains").select(COLUMNS).where("orgId", "=", orgId).orderBy("id").execute();

/** Removes a domain, and returns whether the organisation had claimed it. */
export async function removeClaimedDomain(
  queries: ControlQueries,
  orgId: string,
  domain: string,
): Promise<boolean> {
  const { numDeletedRows } = await queries
    .deleteFrom("claimedDomains")
    .where("orgId", "=", orgId)
    .where("domain", "=", domain)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
