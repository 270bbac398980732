/** Counts wrong keys by the network they came from. */
import { sql, type RawBuilder } from "kysely";
import type { ControlQueries } from "../database/sides.ts";

export interface Failures {
  count: number;
  /** When the count is reset. */
  until: Date;
}

export async function findFailures(queries: ControlQueries, address: string): Promise<Failures | undefined> {
  const { rows } = await sql<Failures>`
    select failures as count, until from sign_in_failures
    where network = ${toNetwork(address)} and until > now()
  `.execute(queries);
  return rows[0];
}

/** Counts a failure; a count that began `windowSeconds` ago is reset. */
export async function noteFailure(
  queries: ControlQueries,
  address: string,
  windowSeconds: number,
): Promise<void> {
  await sql`delete from sign_in_failures where until <= now()`.execute(queries);
  await sql`
    insert into sign_in_failures (network, failures, until)
    values (${toNetwork(address)}, 1, now() + make_interval(secs => ${windowSeconds}))
    on conflict (network) do update set failures = sign_in_failures.failures + 1
  `.execute(queries);
}

/** An owner of an IPv6 address has 2^64 of them, so they count as one network. IPv4 addresses may be written as IPv6. */
function toNetwork(address: string): RawBuilder<string> {
  const bare = address.replace(/^::ffff:(?=[\d.]+$)/i, "").replace(/%.*$/, "");
  return sql`network(set_masklen(${bare}::inet, case family(${bare}::inet) when 6 then 64 else 32 end))::cidr`;
}
