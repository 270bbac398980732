/** Failed sign-ins with keys, counted by the caller's network. */
import { sql, type RawBuilder } from "kysely";
import type { ControlQueries } from "../database/sides.ts";

interface Failures {
  count: number;
  /** Time at which the count is reset. */
  until: Date;
}

export async function findFailures(queries: ControlQueries, address: string): Promise<Failures | undefined> {
  const { rows } = await sql<Failures>`
    select failures as count, until from sign_in_failures
    where network = ${toNetwork(address)} and until > now()
  `.execute(queries);
  return rows[0];
}

/** Counts a failure. A count that began `windowSeconds` ago starts again. */
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

/** Returns the network whose failures count together: 2^64 IPv6 addresses belong to one owner. IPv4 addresses may be written as IPv6. */
function toNetwork(address: string): RawBuilder<string> {
  const bare = address.replace(/^::ffff:(?=[\d.]+$)/i, "").replace(/%.*$/, "");
  return sql`network(set_masklen(${bare}::inet, case family(${bare}::inet) when 6 then 64 else 32 end))::cidr`;
}
