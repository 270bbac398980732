/**
 * Gives each process a number that everybody can see is alive: a PostgreSQL advisory lock, held for as long as the
 * process lives. When it is killed, its session ends, the lock goes, and what it had claimed can be taken over.
 */
import { Client } from "pg";
import type { Log } from "../ground/log.ts";

/** First key of all our advisory locks of this kind; the second is the worker's id. */
const LOCK_CLASS = 735_561;
const RECONNECT_MS = 200;

export interface ProcessIdentity {
  readonly id: number;
  /** Of these workers, those that no longer live. */
  dead(ids: number[]): Promise<number[]>;
  close(): Promise<void>;
}

/** Takes an id and holds its lock; takes the lock again when the connection was lost. */
export async function takeProcessIdentity(connectionString: string, log: Log): Promise<ProcessIdentity> {
  let client: Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let id = 0;
  let closed = false;

  const connect = async (): Promise<void> => {
    const fresh = new Client({ connectionString, application_name: "busbar worker", keepAlive: true });
    fresh.on("error", (error) => log.warn({ error: error.message }, "lost the worker's connection"));
    fresh.on("end", () => {
      if (client === fresh) client = undefined;
      retry();
    });
    await fresh.connect();
    if (id === 0) {
      const { rows } = await fresh.query<{ id: number }>("select nextval('worker_ids')::integer as id");
      id = rows[0]?.id ?? 0;
    }
    await fresh.query("select pg_advisory_lock($1, $2)", [LOCK_CLASS, id]);
    client = fresh;
  };
  const retry = (): void => {
    if (closed) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      connect().catch(retry);
    }, RECONNECT_MS);
  };

  const findDead = async (ids: number[]): Promise<number[]> => {
    if (!client || ids.length === 0) return [];
    const { rows } = await client.query<{ objid: string }>(
      `select objid::text from pg_locks where locktype = 'advisory' and granted and classid = $1 and objid = any($2::oid[])
         and database = (select oid from pg_database where datname = current_database())`,
      [LOCK_CLASS, ids],
    );
    const alive = new Set(rows.map((row) => Number(row.objid)));
    return ids.filter((other) => !alive.has(other));
  };
  /** Those who ask at the same time get their turn: a connection carries out one statement. */
  let asked: Promise<unknown> = Promise.resolve();

  await connect();
  return {
    get id() {
      return id;
    },
    dead(ids) {
      const answer = asked.then(() => findDead(ids));
      asked = answer.catch(() => {});
      return answer;
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      await client?.end();
    },
  };
}
