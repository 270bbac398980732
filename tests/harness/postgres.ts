/** The PostgreSQL that tests share: one server per run, one migrated template, one clone of it per test file. */
import { appendFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Client } from "pg";
import { createLog } from "../../ground/log.ts";
import { ROLE } from "../../server/postgres/create-cluster.ts";
import { openDatabase } from "../../server/store/database/open-database.ts";
import { migrateSide } from "../../server/store/database/prepare-database.ts";
import { startEmbeddedPostgres } from "../../server/postgres/start-embedded-postgres.ts";
import { copyCluster } from "./copy-cluster.ts";
import { createMemoryFolder, removeFolder } from "./memory-folder.ts";
import { createSideRoles, grantSides, REPLICATING_ROLE } from "./side-roles.ts";
import { until } from "./until.ts";

/** Set by the global setup; without it, a test file starts its own server. */
export const URL_VARIABLE = "BUSBAR_TEST_DATABASE_URL";

/** Several test files run at once, each with up to three Busbars of about 25 connections. */
const MAX_CONNECTIONS = 400;
const MAX_REPLICATIONS = 60;
const TEMPLATE = "busbar_template";
const log = createLog("error");

export interface TestPostgres {
  /** URL of the server's maintenance database. */
  url: string;
  stop(): Promise<void>;
}

/** Starts a server in a temporary folder, on a copy of a cluster with the migrated template. */
export async function startTestPostgres(): Promise<TestPostgres> {
  // Readable for others: as root, the server and a pooler run as another user.
  const dataDir = await createMemoryFolder(0o711);
  await copyCluster(dataDir, prepareCluster);
  const postgres = await startEmbeddedPostgres({ dataDir, log, maxConnections: MAX_CONNECTIONS });
  return {
    url: postgres.connectionString,
    async stop() {
      await postgres.stop();
      await removeFolder(dataDir);
    },
  };
}

/** Creates a cluster with the migrated template, and stops its server. */
async function prepareCluster(dataDir: string): Promise<void> {
  await (await startEmbeddedPostgres({ dataDir, log })).stop();
  await createSideRoles(dataDir);
  const postgres = await startEmbeddedPostgres({ dataDir, log });
  // No test outlives this server, so commits need not wait for the disk. Tests of crashes start their own servers.
  await runSql(postgres.connectionString, "alter role current_user set synchronous_commit = off");
  await runSql(postgres.connectionString, `create database ${TEMPLATE}`);
  const template = await openDatabase({
    connectionString: withDatabase(postgres.connectionString, TEMPLATE),
    log,
  });
  await template.close();
  await grantSides(template.connectionString);
  for (const side of ["control", "data"] as const) {
    const name = `${TEMPLATE}_${side}`;
    await runSql(postgres.connectionString, `create database ${name}`);
    await migrateSide(side, withDatabase(postgres.connectionString, name), log);
  }
  await postgres.stop();
  await trustRole(dataDir);
  await allowReplication(dataDir);
}

/**
 * Lets the role connect without a check of its password, which takes a third of the processor time of a connection, and a Busbar
 * opens more than ten. Tests of the embedded PostgreSQL start their own servers.
 */
const trustRole = (dataDir: string): Promise<void> =>
  writeFile(
    join(dataDir, "postgres", "data", "pg_hba.conf"),
    `local all ${ROLE} trust\nlocal all ${REPLICATING_ROLE.name} scram-sha-256\n`,
  );

/** Settings for tests with two databases, of which many may be open at once. */
const allowReplication = (dataDir: string): Promise<void> =>
  appendFile(
    join(dataDir, "postgres", "data", "postgresql.conf"),
    Object.entries({
      wal_level: "logical",
      max_replication_slots: MAX_REPLICATIONS,
      max_wal_senders: MAX_REPLICATIONS,
      max_logical_replication_workers: MAX_REPLICATIONS,
      max_worker_processes: MAX_REPLICATIONS + 10,
      // What is not flushed is not replicated, and commits do not wait for that.
      wal_writer_delay: "10ms",
    })
      .map(([name, value]) => `\n${name} = ${value}`)
      .join(""),
  );

/**
 * Creates a database with all migrations, or the tables of one side, and returns its connection string. Copying files takes half as
 * long as logging them.
 */
export async function cloneTemplate(url: string, name: string, side?: "control" | "data"): Promise<string> {
  const template = side ? `${TEMPLATE}_${side}` : TEMPLATE;
  await runSql(url, `create database ${name} template ${template} strategy file_copy`);
  return withDatabase(url, name);
}

/** Creates an empty database and returns its connection string. */
export async function createDatabase(url: string, name: string): Promise<string> {
  await runSql(url, `create database ${name}`);
  return withDatabase(url, name);
}

/** Drops a database although it is in use. An autovacuum that is at work there ends soon, and cannot be ended by us. */
export async function dropDatabase(url: string, name: string): Promise<void> {
  await until(() =>
    runSql(url, `drop database if exists ${name} with (force)`).then(
      () => true,
      (error: unknown) => {
        if (error instanceof Error && "code" in error && error.code === INSUFFICIENT_PRIVILEGE) return false;
        throw error;
      },
    ),
  );
}

/** SQLSTATE of an action on another role's process. */
const INSUFFICIENT_PRIVILEGE = "42501";

async function runSql(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/** Returns the URL of another database of the server. */
export function withDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}
