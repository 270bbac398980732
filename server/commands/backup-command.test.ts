/** Backups of a database: what comes back, and what is refused. */
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { after, before, describe, test } from "node:test";
import { Client } from "pg";
import { openTestBusbar, type TestBusbar } from "../../tests/harness/busbar.ts";
import { connectCustomer } from "../../tests/harness/connect-customer.ts";
import { createEmptyDatabase } from "../../tests/harness/database.ts";
import { until } from "../../tests/harness/until.ts";
import { readConfig } from "../../ground/config.ts";
import { StartError } from "../../ground/errors.ts";
import { createLog } from "../../ground/log.ts";
import { newId } from "../../ground/ids.ts";
import { listBackupTables } from "../store/maintenance/backup-lines.ts";
import { openDatabase } from "../store/database/open-database.ts";
import { openClient } from "../store/database/prepare-database.ts";
import { migrate } from "../store/database/migrate.ts";
import { readDatabaseState } from "../store/database/readiness.ts";
import { writeBackup, restore } from "./backup-command.ts";

const KEYS = `test:${Buffer.alloc(32, 7).toString("base64")}`;

describe("a backup", () => {
  let busbar: TestBusbar;
  let folder = "";
  let file = "";
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "busbar-backup-"));
    file = join(folder, "busbar.backup");
    busbar = await openTestBusbar();
    const customer = await connectCustomer(busbar, { provider: "hubspot", objects: ["contacts"] });
    const record = { email: "ada@example.com", firstname: 'Ada\u2028 "\\\u0001' };
    const { operationId } = await customer.succeed("contacts", { type: "create", record });
    await until(
      async () => (await busbar.inProject("GET", `/operations/${operationId}`)).body.status === "success",
    );
    await insertSpecialRows(busbar);
    // Nothing changes while databases are compared.
    await busbar.server.stop();
    await writeBackup(services(busbar.connectionString), file);
  });
  after(async () => {
    await busbar.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const services = (url: string, keys: string | undefined = KEYS) => ({
    config: readConfig({ DATABASE_URL: url, BUSBAR_DATA_DIR: folder, BUSBAR_ENCRYPTION_KEYS: keys }),
    log: createLog("silent"),
  });
  const changed = async (name: string, change: (text: string) => string) => {
    const path = join(folder, name);
    await writeFile(path, gzipSync(change(gunzipSync(await readFile(file)).toString())));
    return path;
  };
  const refused = (what: RegExp) => (error: unknown) =>
    error instanceof StartError && what.test(error.message);

  test("gives every row of every table back, and numbers go on after the highest", async (t) => {
    const url = await createEmptyDatabase(t);
    await restore(services(url), file);
    const [before, afterwards] = await Promise.all([contents(busbar.connectionString), contents(url)]);
    assert.ok((before.get("operations")?.length ?? 0) > 0);
    assert.deepEqual(afterwards, before);
    assert.ok((await nextWorker(url)) > 1);
  });

  test("does not overwrite a file, and is not restored over other data", async () => {
    await assert.rejects(writeBackup(services(busbar.connectionString), file), refused(/exists already/));
    await assert.rejects(restore(services(busbar.connectionString), file), refused(/not empty/));
  });

  test("that is cut off, damaged or no backup leaves an empty database, in which another one can be restored", async (t) => {
    const url = await createEmptyDatabase(t);
    const cases: [string, RegExp][] = [
      [await changed("cut", (text) => text.slice(0, text.indexOf("\nE ") + 1)), /cut off/],
      [await changed("short", withoutLastRow), /damaged/],
      [await changed("other", () => "hello\n"), /not a backup/],
      [
        await changed("newer", (text) => text.replace('"migrations":[', '"migrations":["9999_x.sql",')),
        /^the backup is of a newer Busbar \(9999_x.sql\)/,
      ],
    ];
    const half = join(folder, "half");
    await writeFile(half, await readFile(file));
    await truncate(half, 2_000);
    for (const [path, what] of [...cases, [half, /cannot be read/] as const])
      await assert.rejects(restore(services(url), path), refused(what), path);
    await restore(services(url), file);
  });

  test("of the schema before the first release, which had 82 migrations, is restored as the first one", async (t) => {
    const [earlier, url] = [await createEmptyDatabase(t), await createEmptyDatabase(t)];
    const client = await openClient(earlier);
    await migrate(client, createLog("silent"), { upTo: ["0001_schema.sql"] });
    await client.query("insert into organizations (id, label, default_team_id) values ($1, 'Old', $1)", [
      newId(),
    ]);
    await client.query("delete from migrations");
    await client.query(
      "insert into migrations (name) values ('0001_ground.sql'), ('0002_integrations.sql'), ('0401_health_of_installations.sql')",
    );
    await client.end();
    const path = join(folder, "earlier");
    await writeBackup(services(earlier), path);
    await restore(services(url), path);
    assert.equal((await contents(url)).get("organizations")?.length, 1);
    for (const connectionString of [url, earlier]) {
      const database = await openDatabase({ connectionString, log: createLog("silent"), poolSize: 1 });
      assert.equal(await readDatabaseState(database.pool), "ready");
      await database.close();
    }
  });

  test("of a development version before that is refused with the way on", async (t) => {
    const client = await openClient(await createEmptyDatabase(t));
    await migrate(client, createLog("silent"));
    await client.query(
      "update migrations set name = '0400_group_of_refused_requests.sql' where name = '0001_schema.sql'",
    );
    await client.query("delete from migrations where name > '0401'");
    await assert.rejects(migrate(client, createLog("silent")), refused(/development version.*0400_group/));
    await client.end();
  });

  test("of an embedded database is not restored before its encryption keys are there", async () => {
    const config = readConfig({ BUSBAR_DATA_DIR: join(folder, "new") });
    await assert.rejects(restore({ config, log: createLog("silent") }, file), refused(/encryption-keys/));
  });
});

function withoutLastRow(text: string): string {
  const at = text.lastIndexOf("\nR ");
  return text.slice(0, at) + text.slice(text.indexOf("\n", at + 1));
}

async function insertSpecialRows(busbar: TestBusbar): Promise<void> {
  const client = await openClient(busbar.connectionString);
  try {
    // Line breaks between the members of a `json` value.
    await client.query(
      "insert into events (id, project_id, type, data) values (gen_random_uuid(), $1, 'x', $2)",
      [busbar.projectId, '{\n  "text": "a\\nb",\n  "number": 1.50\n}'],
    );
    // Its id is computed from the connection's.
    await client.query(
      "insert into event_streams (connection_id, project_id, provider, ref, topic, account_ref) select id, project_id, provider, 'r', 't', 'a' from connections",
    );
  } finally {
    await client.end();
  }
}

/** Returns the rows of each table as text, in an order. */
async function contents(url: string): Promise<Map<string, string[]>> {
  const client = await openClient(url);
  try {
    const tables = new Map<string, string[]>();
    for (const table of await listBackupTables(client)) {
      const { rows } = await client.query<{ line: string }>(
        `select replace(entry::text, E'\\n', ' ') as line from ${client.escapeIdentifier(table)} as entry order by 1`,
      );
      tables.set(
        table,
        rows.map(({ line }) => line),
      );
    }
    return tables;
  } finally {
    await client.end();
  }
}

async function nextWorker(url: string): Promise<number> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ next: string }>("select nextval('worker_ids') as next");
  await client.end();
  return Number(rows[0]?.next);
}
