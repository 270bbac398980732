/** Opens the services of each shard: those of the main one, but for what works on the database of the customers. */
import { openSharedGates, type SharedGates } from "./calls/gates/shared-gates.ts";
import type { Log } from "../ground/log.ts";
import { NewWork } from "./jobs/new-work.ts";
import { storeInBatches, type Batches } from "./jobs/stored-in-batches.ts";
import type { ProcessIdentity } from "./jobs/process-identity.ts";
import type { Metrics } from "./metrics/metrics.ts";
import { openCustomerShards, type CustomerShards } from "./operations/customer-shards.ts";
import { leaveOutUnwritten } from "./operations/written-objects.ts";
import { openInstallationCache, type InstallationCache } from "./operations/installation-cache.ts";
import { openOperationLedger, type OperationLedger } from "./operations/operation-ledger.ts";
import { joinChanges, leaveOutTables, listenForChanges, type Changes } from "./store/database/changes.ts";
import type { Database } from "./store/database/database.ts";
import { listTables } from "./store/database/sides.ts";
import { noteWriteVerdicts, type WriteVerdict } from "./store/operations/failing-writes.ts";

/** What works on the database of the customers. */
interface ShardParts {
  gates: SharedGates;
  installations: InstallationCache;
  ledger: OperationLedger;
  /** Announces accepted asynchronous writes. */
  newWrites: NewWork;
  /** Announces runs of reads. */
  newRuns: NewWork;
}

interface Parted {
  database: Database;
  changes: Changes;
  identity: ProcessIdentity;
  log: Log;
  metrics?: Metrics | undefined;
}

export function openShardParts(
  { metrics, ...deps }: Parted,
  closers: (() => Promise<unknown>)[],
): ShardParts {
  const newWrites = new NewWork();
  const installations = openInstallationCache(deps);
  const verdicts = openVerdicts({ ...deps, installations });
  closers.push(() => verdicts.close());
  const ledger = openOperationLedger({ ...deps, newWrites, verdicts });
  return {
    gates: openSharedGates(deps),
    installations,
    ledger: metrics?.ledger(ledger) ?? ledger,
    newWrites,
    newRuns: new NewWork(),
  };
}

/** Writes that ended are counted in batches: nobody waits for it, and health may be a second late. */
const openVerdicts = ({
  database,
  log,
  installations,
}: Pick<Parted, "database" | "log"> & Pick<ShardParts, "installations">): Batches<WriteVerdict> =>
  storeInBatches({
    what: "outcomes of writes",
    log,
    batch: 2_000,
    maxWaiting: 20_000,
    insert: async (verdicts) =>
      noteWriteVerdicts(database.data, await leaveOutUnwritten(installations, verdicts)),
  });

/** Returns what ends the work for a shard. */
type StartForShard<Services> = (services: Services) => () => Promise<unknown>;

/** The services of all shards, of which some may come and go. */
export interface ShardSet<Services> extends CustomerShards<Services> {
  /** Opens the services of a shard, and starts the work for it. */
  add(database: Database): Promise<void>;
  /** Ends the work for a shard, and closes its database. */
  remove(database: Database): Promise<void>;
  /** Starts work for each shard, now or when it is added. Returns what ends all of it. */
  keepWorking(start: StartForShard<Services>): () => Promise<void>;
}

type WithShards<Main> = Main & { shards: ShardSet<WithShards<Main>> };

/** Adds the shards to the services of the main one. */
export async function withShards<Main extends Parted & ShardParts>(
  main: Main,
  closers: (() => Promise<unknown>)[],
): Promise<WithShards<Main>> {
  const all: WithShards<Main>[] = [];
  const shards: OpenShardSet<WithShards<Main>> = openShardSet(all, main, async (database) => {
    const url = database.dataUrl ?? database.connectionString;
    const own = await listenForChanges(url, main.log, { mayStartLate: true });
    // Work in the main database is none for the workers of this shard.
    const changes = joinChanges([leaveOutTables(main.changes, listTables("data")), own]);
    const opened: (() => Promise<unknown>)[] = [() => own.close()];
    const parts = openShardParts({ ...main, database, changes }, opened);
    const close = async () => void (await Promise.all(opened.map((one) => one())));
    return { services: { ...main, database, changes, ...parts, shards }, close };
  });
  closers.push(() => shards.close());
  all.push({ ...main, shards });
  const [, ...others] = main.database.shards;
  for (const database of others) await shards.add(database);
  return shards.choose(main.database);
}

type OpenShardSet<Services> = ShardSet<Services> & { close(): Promise<void> };

type OpenShardServices<Services> = (
  database: Database,
) => Promise<{ services: Services; close(): Promise<unknown> }>;

function openShardSet<Services extends { database: Database }>(
  all: Services[],
  main: Parted,
  open: OpenShardServices<Services>,
): OpenShardSet<Services> {
  const closing = new Map<Database, () => Promise<unknown>>();
  const works = new Set<{ start: StartForShard<Services>; ends: Map<Services, () => Promise<unknown>> }>();
  return {
    ...openCustomerShards(all, main),
    async add(database) {
      const { services, close } = await open(database);
      closing.set(database, close);
      all.push(services);
      for (const { start, ends } of works) ends.set(services, start(services));
    },
    async remove(database) {
      const index = all.findIndex((services) => services.database === database);
      const [services] = index > 0 ? all.splice(index, 1) : [];
      if (!services) return;
      await Promise.all([...works].map(({ ends }) => ends.get(services)?.()));
      for (const { ends } of works) ends.delete(services);
      await closing.get(database)?.();
      closing.delete(database);
      await main.database.removeShard(database);
    },
    keepWorking(start) {
      const work = { start, ends: new Map(all.map((services) => [services, start(services)])) };
      works.add(work);
      return async () => {
        works.delete(work);
        await Promise.all([...work.ends.values()].map((end) => end()));
      };
    },
    close: async () => void (await Promise.all([...closing.values()].map((close) => close()))),
  };
}
