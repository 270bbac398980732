/** Writes what is derived from a migrated database: the row types and `migrations/schema.sql`; `--check` compares. */
import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLog } from "../ground/log.ts";
import { startEmbeddedPostgres } from "../server/postgres/start-embedded-postgres.ts";
import { openDatabase } from "../server/store/database.ts";
import { schemaText } from "./schema/schema-text.ts";

const ROWS = "server/store/rows.gen.ts";
const SCHEMA = "migrations/schema.sql";

async function main(check: boolean): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), "busbar-schema-"));
  const log = createLog("error");
  const postgres = await startEmbeddedPostgres({ dataDir, log });
  const database = await openDatabase({ connectionString: postgres.connectionString, log });
  const schema = await schemaText(database.pool);
  await database.close();
  const areRowsFine = generateRows(postgres.connectionString, check);
  await postgres.stop();
  await rm(dataDir, { recursive: true, force: true });
  const isSchemaFresh = (await readFile(SCHEMA, "utf8").catch(() => "")) === schema;
  if (!check && !isSchemaFresh) await writeFile(SCHEMA, schema);
  if (check && !isSchemaFresh) console.error(`${SCHEMA} is stale`);
  if (!areRowsFine || (check && !isSchemaFresh)) process.exit(1);
}

/** Returns whether the row types are written, or with `check` whether they are fresh. */
function generateRows(connectionString: string, check: boolean): boolean {
  const args = ["--dialect", "postgres", "--camel-case", "--url", connectionString, "--out-file", ROWS];
  args.push("--exclude-pattern", "migrations", "--log-level", "error");
  if (check) args.push("--verify");
  return spawnSync("kysely-codegen", args, { stdio: "inherit" }).status === 0;
}

await main(process.argv.includes("--check"));
