/**
 * Gives each process a number that everybody can see is alive: a PostgreSQL advisory lock, held for as long as the
 * process lives. When it is killed, its session ends, the lock goes, and what it had claimed can be taken over.
 */
import type { Client } from "pg";
import type { Log } from "../ground/log.ts";
import { keepConnection } from "../store/kept-connection.ts";

/** First key of all our advisory locks of this kind; the second is the process's number. */
const LOCK_CLASS = 735_561;
const RECONNECT_MS = 200;

export interface ProcessIdentity {
  readonly id: number;
  /** Of these processes, those that no longer live. Empty while the database is away: then nobody can tell. */
  dead(ids: number[]): Promise<number[]>;
  close(): Promise<void>;
}

/** Takes a number and holds its lock; takes the lock again when the connection was lost. */
export async function takeProcessIdentity(connectionString: string, log: Log): Promise<ProcessIdentity> {
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
  return {
    get id() {
      return id;
    },
    async dead(ids) {
      if (!connection.connected || ids.length === 0) return [];
      const { rows } = await connection.query<{ objid: string }>(
        `select objid::text from pg_locks where locktype = 'advisory' and granted and classid = $1 and objid = any($2::oid[])
         and database = (select oid from pg_database where datname = current_database())`,
        [LOCK_CLASS, ids],
      );
      const alive = new Set(rows.map((row) => Number(row.objid)));
      return ids.filter((other) => !alive.has(other));
    },
    close: () => connection.close(),
  };
}
