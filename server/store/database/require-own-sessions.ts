/** Refuses a connection pooler that gives each transaction another session of PostgreSQL. */
import type { Client } from "pg";
import { StartError } from "../../../ground/errors.ts";

/** Messages of a pooler with a single session, in which `second` waits for `first`, and of a pooler in statement mode. */
const POOLER = /^Query read timeout$|not allowed in statement pooling mode$/;

/**
 * Throws `StartError` if two clients get each other's sessions. Notifications, advisory locks and settings belong to a session:
 * behind a pooler in transaction mode, caches would serve deleted rows, and nobody would take over the work of a dead process.
 * `second` needs a query timeout.
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
  // A pooler lends the session that was returned last, or the one that was returned first: each order reveals one of both.
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
