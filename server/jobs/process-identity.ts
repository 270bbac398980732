/**
 * Gives each process a number, and an advisory lock in PostgreSQL that shows that the process is alive. When the process
 * is killed, its session ends and the lock with it; other processes then recover what it had claimed.
 */
import { setTimeout as wait } from "node:timers/promises";
import type { Client } from "pg";
import type { Log } from "../../ground/log.ts";
import { keepConnection } from "../store/database/kept-connection.ts";

/** First key of all our advisory locks of this kind; the second is the process's number. */
const LOCK_CLASS = 735_561;
const RECONNECT_MS = 200;
/** A process under load needs more than a second to connect again; its claims must not be taken away meanwhile. */
const SECOND_CHECK_MS = 3_000;

export interface ProcessIdentity {
  readonly id: number;
  /**
   * Returns those of these processes that no longer live. A process that is reconnecting has no lock for a moment, so
   * a lock must be missing twice, three seconds apart: the answer takes that long when a process seems dead. Empty while the
   * database is away, because then it cannot be known.
   */
  findDead(ids: number[]): Promise<number[]>;
  close(): Promise<void>;
}

/** Claims a number and its lock, and locks again after a lost connection. */
export async function claimProcessIdentity(connectionString: string, log: Log): Promise<ProcessIdentity> {
  let id = 0;
  const holdLock = async (client: Client): Promise<void> => {
    if (id === 0) {
      const { rows } = await client.query<{ id: number }>("select nextval('worker_ids')::integer as id");
      id = rows[0]?.id ?? 0;
    }
    await client.query("select pg_advisory_lock($1, $2)", [LOCK_CLASS, id]);
  };
  const connection = await keepConnection({
    connectionString,
    applicationName: "busbar worker",
    log,
    retryMs: RECONNECT_MS,
    prepare: holdLock,
  });
  const findUnlocked = async (ids: number[]): Promise<number[]> => {
    if (!connection.connected || ids.length === 0) return [];
    const { rows } = await connection.query<{ objid: string }>(
      `select objid::text from pg_locks where locktype = 'advisory' and granted and classid = $1 and objid = any($2::oid[])
         and database = (select oid from pg_database where datname = current_database())`,
      [LOCK_CLASS, ids],
    );
    const locked = new Set(rows.map((row) => Number(row.objid)));
    return ids.filter((other) => !locked.has(other));
  };
  return {
    get id() {
      return id;
    },
    async findDead(ids) {
      const suspects = await findUnlocked(ids);
      if (suspects.length === 0) return [];
      await wait(SECOND_CHECK_MS, undefined, { ref: false });
      return findUnlocked(suspects);
    },
    close: () => connection.close(),
  };
}
