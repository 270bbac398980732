/** Backups of two databases: of one moment, and restored into two databases or into one. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { sql } from "kysely";
import { openTestBusbar } from "../../tests/harness/busbar.ts";
import { connectCustomer } from "../../tests/harness/connect-customer.ts";
import { createEmptyDatabase, createTestDatabase } from "../../tests/harness/database.ts";
import { createEmptyPair } from "../../tests/harness/empty-pair.ts";
import { connectBoth } from "../../tests/harness/two-databases.ts";
import { until } from "../../tests/harness/until.ts";
import { resumeCopies, stopCopies, waitForCopies } from "../../tests/harness/wait-for-copies.ts";
import { readConfig } from "../../ground/config.ts";
import { newId } from "../../ground/ids.ts";
import { createLog } from "../../ground/log.ts";
import { transactControl } from "../store/database/database.ts";
import { openDatabase } from "../store/database/open-database.ts";
import { openClient } from "../store/database/prepare-database.ts";
import { listTables } from "../store/database/sides.ts";
import { openSnapshots, type Snapshot } from "../store/maintenance/open-snapshots.ts";
import { writeBackup, restore } from "./backup-command.ts";

const log = createLog("silent");

interface Urls {
  connectionString: string;
  dataUrl?: string;
  replicationUrl?: string;
}

test("of two databases is restored into two, into one, and from one into two", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "busbar-backup-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const services = ({ connectionString, dataUrl, replicationUrl }: Urls) => ({
    config: readConfig({
      DATABASE_URL: connectionString,
      BUSBAR_DATA_DATABASE_URL: dataUrl,
      BUSBAR_REPLICATION_URL: replicationUrl,
      BUSBAR_DATA_DIR: folder,
      BUSBAR_ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 7).toString("base64")}`,
    }),
    log,
  });
  const busbar = await openTestBusbar({ isDivided: true });
  t.after(() => busbar.stop());
  const customer = await connectCustomer(busbar, { provider: "hubspot", objects: ["companies"] });
  await waitForCopies(busbar);
  await customer.succeed("companies", { type: "create", record: { name: "one" } });
  const stoppedAs = { connectionString: busbar.connectionString, dataUrl: busbar.dataUrl ?? "" };
  await busbar.server.stop();
  const before = await readContents(stoppedAs);
  assert.ok((before["operations"]?.length ?? 0) > 0);

  const [file, second] = [join(folder, "first"), join(folder, "second")];
  await writeBackup(services(stoppedAs), file);
  await assert.rejects(restore(services(stoppedAs), file), { message: /not empty/ });

  const one = { connectionString: await createEmptyDatabase(t) };
  await restore(services(one), file);
  assert.deepEqual(await readContents(one), before);

  const two = await createEmptyPair(t);
  await writeBackup(services(one), second);
  await restore(services(two), second);
  assert.deepEqual(await readContents(two), before);
  await requireReplication(two);
});

/** Changes and removes a shared row, as a server would. */
async function requireReplication(urls: Urls): Promise<void> {
  const database = await openDatabase({ ...urls, log, poolSize: 2 });
  await transactControl(database, (queries) => sql`update projects set name = 'renamed'`.execute(queries));
  await waitForCopies(database);
  const { rows } = await sql<{ name: string }>`select name from projects`.execute(database.data);
  assert.deepEqual(rows, [{ name: "renamed" }]);
  await transactControl(database, (queries) => sql`delete from projects`.execute(queries));
  await waitForCopies(database);
  const left = await sql`select from operations`.execute(database.data);
  assert.equal(left.rows.length, 0, "what belonged to the removed copy is gone");
  await database.close();
}

/** Reads all rows as text. Which processes ran is of no interest. */
async function readContents(urls: Urls): Promise<Record<string, string[]>> {
  const both = await connectBoth(urls);
  const contents: Record<string, string[]> = {};
  for (const table of listTables("control", "shared", "data").toSorted()) {
    const { rows } = await both.query(`select entry::text as line from ${table} as entry order by 1`);
    contents[table] = rows.map(({ line }) => String(line));
  }
  await both.end();
  return contents;
}

/** Tries once. Returns the snapshots, or why there are none; their connections end with the test. */
async function trySnapshots(t: TestContext, urls: Urls): Promise<Snapshot[] | string> {
  const opened: Parameters<typeof openSnapshots>[1] = [];
  const close = async () => {
    for (const client of opened.splice(0)) await client.end();
  };
  t.after(close);
  try {
    return await openSnapshots(urls, opened, 1);
  } catch (error) {
    await close();
    return String(error);
  }
}

test("a backup of two databases waits for who is changing the control database, and for the copies", async (t) => {
  const { drop, connectionString, dataUrl = "" } = await createTestDatabase({ isDivided: true });
  const urls = { connectionString, dataUrl };
  const writer = await openClient(connectionString);
  t.after(async () => {
    await writer.end();
    await drop();
  });
  const insert = "insert into organizations (id, label, default_team_id) values ($1, 'o', $1)";
  // On a busy machine a try may fail for another reason, too: that copies are late.
  const untilRefused = (reason: RegExp) =>
    until(async () => {
      const found = await trySnapshots(t, urls);
      assert.equal(typeof found, "string", `snapshots in spite of ${reason}`);
      return reason.test(String(found));
    });
  await writer.query("begin");
  await writer.query(insert, [newId()]);
  await untilRefused(/no common moment: a table .* has been locked/);
  await writer.query("commit");
  await stopCopies(dataUrl);
  await writer.query(insert, [newId()]);
  await untilRefused(/copies .* are late, or replication has stopped/);
  await resumeCopies(dataUrl);
  const [control] = await until(async () => {
    const found = await trySnapshots(t, urls);
    return typeof found !== "string" && found;
  });
  await writer.query(insert, [newId()]);
  const { rows } = (await control?.client.query("select from organizations")) ?? { rows: [] };
  assert.equal(rows.length, 2, "later changes are neither waited for nor seen");
});
