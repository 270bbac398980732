/** Two PostgreSQL servers of which one can replicate into the other, and which can go away and come back. */
import { appendFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { createLog } from "../../ground/log.ts";
import { startEmbeddedPostgres } from "../../server/postgres/start-embedded-postgres.ts";
import { openRestartablePostgres, type RestartablePostgres } from "./restartable-postgres.ts";
import { createSideRoles, REPLICATING_ROLE } from "./side-roles.ts";

export interface ServerPair {
  control: RestartablePostgres;
  data: RestartablePostgres;
  /** Variables of a Busbar on both. */
  env: Record<"DATABASE_URL" | "BUSBAR_DATA_DATABASE_URL" | "BUSBAR_REPLICATION_URL", string>;
  close(): Promise<void>;
}

/** Starts the servers in folders of `home`, each with an empty database. */
export async function startServers(home: string): Promise<ServerPair> {
  const [control, data] = [await startServer(join(home, "control")), await startServer(join(home, "data"))];
  const replicationUrl = new URL(control.url);
  replicationUrl.username = REPLICATING_ROLE.name;
  replicationUrl.password = REPLICATING_ROLE.password;
  return {
    control,
    data,
    env: {
      DATABASE_URL: control.url,
      BUSBAR_DATA_DATABASE_URL: data.url,
      BUSBAR_REPLICATION_URL: replicationUrl.href,
    },
    close: async () => void (await Promise.all([data.close(), control.close()])),
  };
}

/** Starts a server in a new folder. */
export async function startServer(dataDir: string): Promise<RestartablePostgres> {
  // As root, the servers run as another user, and one connects to the other's socket.
  await mkdir(dataDir, { mode: 0o711 });
  await prepare(dataDir);
  return openRestartablePostgres(dataDir);
}

/** Creates a cluster whose server replicates, and lets the role in that replicates. */
async function prepare(dataDir: string): Promise<void> {
  await (await startEmbeddedPostgres({ dataDir, log: createLog("silent") })).stop();
  await createSideRoles(dataDir);
  const folder = join(dataDir, "postgres", "data");
  await appendFile(join(folder, "postgresql.conf"), "\nwal_level = logical\n");
  await appendFile(join(folder, "pg_hba.conf"), `\nlocal all ${REPLICATING_ROLE.name} scram-sha-256\n`);
}
