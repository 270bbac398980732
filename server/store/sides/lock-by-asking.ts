/** Advisory locks of whole sessions, for work on the schema. */
import { setTimeout as wait } from "node:timers/promises";
import type { ClientBase } from "pg";

const ASK_MS = 100;

/**
 * Takes an advisory lock by asking for it repeatedly. A statement that waits for it would hold up an index that the process with the
 * lock builds concurrently, and PostgreSQL would not always see the circle.
 */
export async function lockByAsking(client: ClientBase, key: number): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ taken: boolean }>("select pg_try_advisory_lock($1) as taken", [
      key,
    ]);
    if (rows[0]?.taken) return;
    await wait(ASK_MS);
  }
}
