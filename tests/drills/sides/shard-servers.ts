/** PostgreSQL servers of main and of shards, for a Busbar that uses them. */
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { runBusbar } from "../../harness/child-busbar.ts";
import { startServer } from "../../harness/replicating-postgres.ts";
import type { RestartablePostgres } from "../../harness/restartable-postgres.ts";
import { REPLICATING_ROLE } from "../../harness/side-roles.ts";

export const MAIN = "main";
export interface ShardServers {
  /** Have the names of their shards; main is the first. */
  servers: Record<string, RestartablePostgres>;
  /** Variables of the Busbar. */
  env: Record<string, string>;
  getUrl(shard: string): string;
  /** Runs `busbar shards add` for each shard beside main, of another version by its program. A Busbar must run. */
  addShards(program?: string): Promise<void>;
  close(): Promise<void>;
}

export async function startShardServers(home: string, shards: readonly string[]): Promise<ShardServers> {
  // As root, the servers run as another user.
  await chmod(home, 0o711);
  const servers: Record<string, RestartablePostgres> = {};
  for (const name of [MAIN, ...shards]) servers[name] = await startServer(join(home, name));
  const getUrl = (shard: string): string => servers[shard]?.url ?? "";
  const replicationUrl = new URL(getUrl(MAIN));
  replicationUrl.username = REPLICATING_ROLE.name;
  replicationUrl.password = REPLICATING_ROLE.password;
  const env = {
    DATABASE_URL: getUrl(MAIN),
    BUSBAR_REPLICATION_URL: replicationUrl.href,
    BUSBAR_ENCRYPTION_KEYS: `drill:${Buffer.alloc(32, 7).toString("base64")}`,
  };
  return {
    servers,
    env,
    getUrl,
    async addShards(program) {
      for (const name of shards) {
        const added = await runBusbar(["shards", "add", name, getUrl(name), "--json"], env, { program })
          .exited;
        if (added.code !== 0) throw new Error(`shards add: ${added.stderr}`);
      }
    },
    async close() {
      for (const server of Object.values(servers)) await server.close();
    },
  };
}
