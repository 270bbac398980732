/** Refuses a connection pooler that hands each transaction to another session of PostgreSQL. */
import type { Client } from "pg";
import { StartError } from "../../../ground/errors.ts";

/** A pooler of one session, which lets `second` wait for `first`, and a pooler in statement mode. */
const POOLER = /^Query read timeout$|not allowed in statement pooling mode$/;

/**
 * Throws `StartError` when two clients are given each other's sessions. Notifications, advisory locks and settings belong
 * to a session: behind a pooler in transaction mode, caches would serve what was deleted, and the work of a process that
 * died would never be taken over. `second` needs a query time-out.
 */
export async function requireOwnSessions(first: Client, second: Client): Promise<void> {
  const keep = await keepTheirSessions(first, second).catch((error: unknown) => {
    if (error instanceof Error && POOLER.test(error.message)) return false;
    throw error;
  });
  if (keep) return;
  throw new StartError(
    "DATABASE_URL leads to a connection pooler in transaction or statement mode; name PostgreSQL itself, or set the pooler to session mode",
  );
}

async function keepTheirSessions(first: Client, second: Client): Promise<boolean> {
  const own = new Map([
    [first, await readSession(first)],
    [second, await readSession(second)],
  ]);
  // A pooler gives out the session that came back last, or the one that came back first: one order shows each.
  for (const order of [
    [first, second],
    [second, first],
  ]) {
    for (const client of order) {
      await client.query("begin");
      if ((await readSession(client)) !== own.get(client)) return false;
    }
    for (const client of [first, second]) await client.query("commit");
  }
  return true;
}

async function readSession(client: Client): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  return rows[0]?.pid;
}
