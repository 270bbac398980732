/** Writes the row types, which are derived from a migrated database; `--check` compares. */
import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLog } from "../ground/log.ts";
import { startEmbeddedPostgres } from "../server/postgres/start-embedded-postgres.ts";
import { openDatabase } from "../server/store/database/open-database.ts";

const ROWS = "server/store/database/rows.gen.ts";

async function main(check: boolean): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), "busbar-schema-"));
  const log = createLog("error");
  const postgres = await startEmbeddedPostgres({ dataDir, log });
  const database = await openDatabase({ connectionString: postgres.connectionString, log });
  await database.close();
  const areRowsFine = generateRows(postgres.connectionString, check);
  await postgres.stop();
  await rm(dataDir, { recursive: true, force: true });
  if (!areRowsFine) process.exit(1);
}

/** Returns whether the row types are written, or with `check` whether they are fresh. */
function generateRows(connectionString: string, check: boolean): boolean {
  const args = ["--dialect", "postgres", "--camel-case", "--url", connectionString, "--out-file", ROWS];
  args.push("--exclude-pattern", "migrations", "--log-level", "error");
  if (check) args.push("--verify");
  return spawnSync("kysely-codegen", args, { stdio: "inherit" }).status === 0;
}

await main(process.argv.includes("--check"));
