/** What the commands about shards work with. */
import type { Output } from "../../../cli/output/output.ts";
import type { Config } from "../../../ground/config.ts";
import { listDatabaseAddresses } from "../../../ground/database-addresses.ts";
import { StartError } from "../../../ground/errors.ts";
import type { Log } from "../../../ground/log.ts";
import type { Sealer } from "../../../ground/seal.ts";
import type { Database } from "../../store/database/database.ts";
import { openShardUrls, type RegisteredShard } from "../../store/shards/shard-registry.ts";

export interface ShardServices {
  database: Database;
  sealer: Sealer;
  /** How the servers of shards reach the control database, if not by its own address. */
  replicationUrl: string | undefined;
  /** Connections of a process to a database. */
  poolSize: number;
  log: Log;
  /** Shows what is being done. */
  progress(text: string): void;
  /** Returns the address of a shard's database; undefined if its key is missing. */
  readUrl(shard: RegisteredShard): string | undefined;
}

export function openShardServices({
  database,
  sealer,
  config,
  log,
  out,
}: {
  database: Database;
  sealer: Sealer;
  config: Config;
  log: Log;
  out: Pick<Output, "progress">;
}): ShardServices {
  return {
    database,
    sealer,
    replicationUrl: config.replicationUrl,
    poolSize: config.databaseConnections,
    log,
    progress: (text) => out.progress(text),
    readUrl: openShardUrls(sealer),
  };
}

/** Throws unless it is the address of a database. */
export function requireDatabaseAddress(url: string): void {
  if (listDatabaseAddresses(url) && /^postgres(ql)?:\/\/.*\/[^/?]+(\?.*)?$/s.test(url)) return;
  throw new StartError(
    "the second argument must be the address of a database, such as postgres://user:password@host:5432/busbar_a",
  );
}
