/** Gates of connections that are rate limited or locked out, shared by all processes. */
import { sql } from "kysely";
import type { DataQueries } from "../database/sides.ts";

/** Closes the gate until a time; does nothing if it is already closed for longer. */
export async function closeGate(
  queries: DataQueries,
  gate: { connectionId: string; until: Date; retryable: boolean },
): Promise<void> {
  await sql`
    insert into connection_gates (connection_id, closed_until, retryable)
    select id, ${gate.until}, ${gate.retryable} from connections where id = ${gate.connectionId}
    on conflict (connection_id) do update
      set closed_until = excluded.closed_until, retryable = excluded.retryable
      where connection_gates.closed_until < excluded.closed_until
  `.execute(queries);
}

interface GateRow {
  connectionId: string;
  closedUntil: Date;
  retryable: boolean;
}

export const findGate = (queries: DataQueries, connectionId: string): Promise<GateRow | undefined> =>
  queries
    .selectFrom("connectionGates")
    .select(["connectionId", "closedUntil", "retryable"])
    .where("connectionId", "=", connectionId)
    .executeTakeFirst();
