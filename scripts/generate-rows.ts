/** Writes `server/store/rows.gen.ts`, the row types, from a database that all migrations have been applied to. */
import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLog } from "../server/ground/log.ts";
import { startEmbeddedPostgres } from "../server/postgres/start-embedded-postgres.ts";
import { openDatabase } from "../server/store/database.ts";

const TARGET = "server/store/rows.gen.ts";

async function main(check: boolean): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), "busbar-rows-"));
  const log = createLog("error");
  const postgres = await startEmbeddedPostgres({ dataDir, log });
  const database = await openDatabase({ connectionString: postgres.connectionString, log });
  await database.close();
  const args = [
    "--dialect",
    "postgres",
    "--camel-case",
    "--url",
    postgres.connectionString,
    "--out-file",
    TARGET,
  ];
  args.push("--exclude-pattern", "migrations", "--log-level", "error");
  if (check) args.push("--verify");
  const { status } = spawnSync("kysely-codegen", args, { stdio: "inherit" });
  await postgres.stop();
  await rm(dataDir, { recursive: true, force: true });
  if (status !== 0 || !(await readFile(TARGET, "utf8"))) process.exit(1);
}

await main(process.argv.includes("--check"));
