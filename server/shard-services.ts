/** Opens the services of each shard: those of the main one, but for what works on the database of the customers. */
import { openSharedGates, type SharedGates } from "./calls/gates/shared-gates.ts";
import type { Log } from "../ground/log.ts";
import { NewWork } from "./jobs/new-work.ts";
import type { ProcessIdentity } from "./jobs/process-identity.ts";
import type { Metrics } from "./metrics/metrics.ts";
import { openCustomerShards, type CustomerShards } from "./operations/customer-shards.ts";
import { openInstallationCache, type InstallationCache } from "./operations/installation-cache.ts";
import { openOperationLedger, type OperationLedger } from "./operations/operation-ledger.ts";
import { joinChanges, listenForChanges, type Changes } from "./store/database/changes.ts";
import type { Database } from "./store/database/database.ts";

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

export function openShardParts({ metrics, ...deps }: Parted): ShardParts {
  const newWrites = new NewWork();
  const ledger = openOperationLedger({ ...deps, newWrites });
  return {
    gates: openSharedGates(deps),
    installations: openInstallationCache(deps),
    ledger: metrics?.ledger(ledger) ?? ledger,
    newWrites,
    newRuns: new NewWork(),
  };
}

type WithShards<Main> = Main & { shards: CustomerShards<WithShards<Main>> };

/** Adds the shards to the services of the main one. */
export async function withShards<Main extends Parted & ShardParts>(
  main: Main,
  closers: (() => Promise<unknown>)[],
): Promise<WithShards<Main>> {
  const all: WithShards<Main>[] = [];
  const shards = openCustomerShards(all, main);
  const [, ...others] = main.database.shards;
  all.push({ ...main, shards });
  for (const database of others) {
    const own = await listenForChanges(database.dataUrl ?? database.connectionString, main.log);
    closers.push(() => own.close());
    const changes = joinChanges([main.changes, own]);
    all.push({ ...main, database, changes, ...openShardParts({ ...main, database, changes }), shards });
  }
  return shards.choose(main.database);
}
