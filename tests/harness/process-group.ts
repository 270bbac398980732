/** Starts several Busbars as separate processes on one database and one sandbox, which a test can kill. */
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startSandbox, type Sandbox } from "../../sandbox/sandbox.ts";
import { endChildBusbar, startChildBusbar, type ChildBusbar } from "./child-busbar.ts";
import { createTestDatabase } from "./database.ts";

export interface ProcessGroup {
  sandbox: Sandbox;
  connectionString: string;
  /** Starts another process; `env` is merged over the common environment. */
  start(env?: Record<string, string>): Promise<ChildBusbar>;
  stop(): Promise<void>;
}

const KEY = "process-group-key-0123456789-0123456789";

export async function openProcessGroup(env: Record<string, string> = {}): Promise<ProcessGroup> {
  const sandbox = await startSandbox();
  const { connectionString, dataUrl, drop } = await createTestDatabase();
  const home = await mkdtemp(join(tmpdir(), "busbar-group-"));
  const catalog = join(home, "catalog.json");
  await writeFile(catalog, JSON.stringify(sandbox.catalog()));
  const started: { child: ChildBusbar; dataDir: string }[] = [];
  return {
    sandbox,
    connectionString,
    async start(more) {
      const dataDir = await mkdtemp(join(tmpdir(), "busbar-process-"));
      const child = await startChildBusbar(dataDir, {
        DATABASE_URL: connectionString,
        ...(dataUrl !== undefined && { BUSBAR_DATA_DATABASE_URL: dataUrl }),
        BUSBAR_ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 7).toString("base64")}`,
        BUSBAR_BOOTSTRAP_API_KEY: KEY,
        BUSBAR_CATALOG: catalog,
        BUSBAR_EGRESS_ALLOW: "127.0.0.1",
        ...env,
        ...more,
      });
      started.push({ child, dataDir });
      return child;
    },
    async stop() {
      await Promise.all(started.map(({ child, dataDir }) => endChildBusbar(child, dataDir)));
      await sandbox.close();
      await drop();
      await endChildBusbar(undefined, home);
    },
  };
}
