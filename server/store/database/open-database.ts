/** Opens PostgreSQL: checks it, migrates it, and opens the pool for queries. */
import type { Kysely } from "kysely";
import type { Log } from "../../../ground/log.ts";
import { openCopies, type Copies } from "../sides/copies.ts";
import { MAIN_SHARD, type Database, type SideRoles } from "./database.ts";
import { openOutbox } from "./outbox.ts";
import { openPool, type CopiedTables } from "./pool.ts";
import { prepareDatabase, prepareSides, type SideUrls } from "./prepare-database.ts";
import type { DB } from "./rows.gen.ts";
import { changesShared } from "./sides.ts";

/** Connects, checks the version, migrates. Throws `StartError` when the database cannot be used. */
export async function openDatabase(options: {
  connectionString: string;
  log: Log;
  /** Number of connections in this process's pool. */
  poolSize?: number;
  /** Database of the data tables, if it is another one. */
  dataUrl?: string | undefined;
  /** How the server of the data tables reaches the control database, if not by `connectionString`. */
  replicationUrl?: string | undefined;
  sideRoles?: SideRoles | undefined;
  openBoth?: OpenBoth | undefined;
  /** Share of new customers that the main shard gets; those of the others are in the registry. */
  mainWeight?: number | undefined;
}): Promise<Database> {
  const { connectionString, log, poolSize = 20, dataUrl, sideRoles, mainWeight = 1 } = options;
  if (dataUrl !== undefined) return openDivided({ ...options, poolSize, mainWeight, dataUrl });
  await prepareDatabase(connectionString, log);
  const copied = openAllCopies();
  const open = (settings: Record<string, string> = {}) =>
    openPool({ connectionString, applicationName: "busbar", log, size: poolSize, settings, copied });
  const { queries, pool } = open();
  if (!sideRoles)
    return asMainShard({
      control: queries,
      data: queries,
      queries,
      outbox: openOutbox({ queries, control: queries, data: queries, log }),
      pool,
      connectionString,
      mainWeight,
      copied,
      close: () => queries.destroy(),
    });
  const control = open({ role: sideRoles.control }).queries;
  const data = open({ role: sideRoles.data }).queries;
  const close = async () => void (await Promise.all([control.destroy(), data.destroy(), queries.destroy()]));
  const outbox = openOutbox({ queries, control, data, log });
  return asMainShard({
    control,
    data,
    queries,
    outbox,
    pool,
    connectionString,
    mainWeight,
    copied,
    sideRoles,
    close,
  });
}

/** Adds the list of shards, in which the database itself is the only one so far. Closing it closes all. */
function asMainShard(
  database: Omit<Database, "shard" | "shards" | "addShard" | "removeShard"> & { copied: AllCopies },
): Database {
  const shards: Database[] = [];
  const copiesIn = new Map<Database, Copies>();
  const main: Database = {
    ...database,
    shard: MAIN_SHARD,
    shards,
    addShard(added, copies) {
      database.copied.add(copies);
      copiesIn.set(added, copies);
      database.outbox.add({ shard: added.shard, data: added.data, copied: copies });
      shards.push(added);
    },
    async removeShard(removed) {
      const index = shards.indexOf(removed);
      if (index < 1) return;
      shards.splice(index, 1);
      database.copied.remove(copiesIn.get(removed));
      copiesIn.delete(removed);
      database.outbox.remove(removed.shard);
      await removed.close();
    },
    close: async () => void (await Promise.all([database, ...shards.slice(1)].map((shard) => shard.close()))),
  };
  shards.push(main);
  return main;
}

/** Copies of all databases that have some: a change waits for each of them that is not away. */
type AllCopies = CopiedTables & { add(copies: Copies): void; remove(copies: Copies | undefined): void };

function openAllCopies(): AllCopies {
  const all = new Set<Copies>();
  return {
    add: (copies) => void all.add(copies),
    remove: (copies) => void (copies && all.delete(copies)),
    isChangedBy: (statement) => all.size > 0 && changesShared(statement),
    applied: async (position) =>
      (await Promise.all([...all].map((copies) => copies.applied(position)))).every(Boolean),
  };
}

/** For tests: makes one handle of two databases, which sends each statement to the one that has its tables. */
export type OpenBoth = (control: Kysely<DB>, data: Kysely<DB>) => Kysely<DB>;

async function openDivided(
  options: SideUrls & {
    log: Log;
    poolSize: number;
    mainWeight: number;
    openBoth?: OpenBoth | undefined;
  },
): Promise<Database> {
  const { connectionString, dataUrl, log, poolSize, mainWeight, openBoth } = options;
  await prepareSides(options, log);
  const open = (url: string, more: { applicationName: string; size: number; copied?: CopiedTables }) =>
    openPool({ connectionString: url, log, ...more });
  const asking = open(dataUrl, { applicationName: "busbar copies", size: 1 });
  const [copies, copied] = [openCopies(asking.pool), openAllCopies()];
  copied.add(copies);
  const control = open(connectionString, { applicationName: "busbar", size: poolSize, copied });
  const data = open(dataUrl, { applicationName: "busbar", size: poolSize });
  const queries = openBoth?.(control.queries, data.queries) ?? control.queries.withTables<Pick<DB, never>>();
  return asMainShard({
    control: control.queries,
    data: data.queries,
    queries,
    outbox: openOutbox({ queries, control: control.queries, data: data.queries, log, copied: copies }),
    pool: control.pool,
    connectionString,
    dataUrl,
    dataPool: data.pool,
    mainWeight,
    copied,
    // Kysely has not used the pool that asks, and would leave its connection open.
    close: async () =>
      void (await Promise.all([control.queries.destroy(), data.queries.destroy(), asking.pool.end()])),
  });
}
