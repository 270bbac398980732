/** A start that a person must mend ends with one line that names what to mend, and leaves nothing running. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { readConfig } from "../../ground/config.ts";
import { StartError } from "../../ground/errors.ts";
import { createLog } from "../../ground/log.ts";
import { startBusbar } from "../../server/main.ts";
import { runBusbar } from "../harness/child-busbar.ts";
import { createTestDatabase, type TestDatabase } from "../harness/database.ts";

const KEYS = `k1:${Buffer.alloc(32, 1).toString("base64")}`;

describe("a start that cannot succeed", () => {
  let dataDir = "";
  let database: TestDatabase;
  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "busbar-start-"));
    database = await createTestDatabase();
  });
  after(async () => {
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  });

  /** What the start says, without a process around it. */
  async function refusal(env: Record<string, string>): Promise<string> {
    const start = async () => {
      const config = readConfig({
        BUSBAR_DATA_DIR: dataDir,
        BUSBAR_PORT: "0",
        BUSBAR_PROXY_PORT: "0",
        ...env,
      });
      await startBusbar({ config, log: createLog("silent") });
    };
    const error: unknown = await start().catch((caught: unknown) => caught);
    assert.ok(error instanceof StartError, String(error));
    return error.message;
  }
  /** The one line on stderr. */
  async function refused(
    env: Record<string, string>,
    args = ["start"],
    exitCode: number = 1,
  ): Promise<string> {
    const { exited } = runBusbar(args, {
      BUSBAR_DATA_DIR: dataDir,
      BUSBAR_PORT: "0",
      BUSBAR_PROXY_PORT: "0",
      BUSBAR_LOG_LEVEL: "warn",
      ...env,
    });
    const { code, stderr } = await exited;
    assert.equal(code, exitCode, stderr);
    assert.match(stderr, /^busbar: [^\n]+\n$/);
    return stderr;
  }

  const withDatabase = () => ({ DATABASE_URL: database.connectionString, BUSBAR_ENCRYPTION_KEYS: KEYS });

  test("names the variable or the option, and never repeats a secret", async () => {
    const secret = { DATABASE_URL: "mysql://user:hunter2@host/db" };
    const away = { DATABASE_URL: "postgres://127.0.0.1:1/x", BUSBAR_ENCRYPTION_KEYS: KEYS };
    const [database, refusedConnection, option, sandbox] = await Promise.all([
      refused(secret),
      refused(away),
      refused({}, ["start", "--port", "1"], 2),
      refused({}, ["sandbox", "--port", "x"], 2),
    ]);
    assert.match(await refusal({ BUSBAR_PORT: "http" }), /BUSBAR_PORT must be a whole number.*"http"/);
    const keys = await refusal({ DATABASE_URL: "postgres://x/y" });
    assert.match(keys, /BUSBAR_ENCRYPTION_KEYS must be set when DATABASE_URL is/);
    assert.match(database, /DATABASE_URL must be/);
    assert.doesNotMatch(database, /hunter2/);
    assert.match(refusedConnection, /DATABASE_URL.*ECONNREFUSED/);
    assert.match(option, /--port.*BUSBAR_PORT/);
    assert.match(sandbox, /--port must be a whole number.*"x"/);
  });

  test("says that there is no such command, and which one was probably meant", async () => {
    const { code, stderr } = await runBusbar(["strat"], {}).exited;
    assert.equal(code, 2, stderr);
    assert.match(stderr, /unknown command 'strat'\n\(Did you mean start\?\)/);
  });

  test("names the address when it is not one of this machine", async () => {
    assert.match(
      await refusal({ ...withDatabase(), BUSBAR_HOST: "192.0.2.1" }),
      /^BUSBAR_HOST.*192\.0\.2\.1/,
    );
  });

  test("names the port that another program uses", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const port = String((server.address() as AddressInfo).port);
    assert.match(await refusal({ ...withDatabase(), BUSBAR_PORT: port }), /BUSBAR_PORT.*in use/);
    assert.match(await refused({}, ["sandbox", "--port", port]), /in use.*--port/);
    assert.match(await refused({}, ["sandbox", "pipedrive", "--port", port]), /^busbar: .*in use.*--port/);
    assert.match(await refused({}, ["mock", "--port", port]), /^busbar: .*in use.*--port/);
    // As a process: the listener that is up by then must not keep it alive.
    assert.match(await refused({ ...withDatabase(), BUSBAR_PROXY_PORT: port }), /BUSBAR_PROXY_PORT.*in use/);
    // Before anything is created.
    const folder = join(dataDir, "not-created");
    assert.match(await refused({ BUSBAR_DATA_DIR: folder, BUSBAR_PORT: port }), /BUSBAR_PORT.*in use/);
    assert.equal(existsSync(folder), false);
    await new Promise((resolve) => server.close(resolve));
  });

  test(
    "names a folder that cannot be created, instead of hanging",
    { skip: !existsSync("/proc") },
    async () => {
      assert.match(
        await refused({ BUSBAR_DATA_DIR: "/proc/busbar/data" }),
        /BUSBAR_DATA_DIR: .*\/proc\/busbar/,
      );
    },
  );

  test("says that the data folder is a file, or lies below one", async () => {
    const file = join(dataDir, "a-file");
    await writeFile(file, "");
    for (const path of [file, join(file, "below")])
      assert.equal(
        await refusal({ BUSBAR_DATA_DIR: path }),
        `BUSBAR_DATA_DIR: ${path} is a file, or lies in one; name a folder.`,
      );
  });

  const old = "/usr/bin/node";
  const isOld = existsSync(old) && /^v(1\d|20|21)\./.test(spawnSync(old, ["--version"]).stdout.toString());
  test("says in one line that Node.js is too old", { skip: !isOld && "no old Node.js here" }, () => {
    for (const file of ["server/busbar.mjs", "demo/demo.mjs"]) {
      const { status, stderr } = spawnSync(old, [file, "start"], { encoding: "utf8" });
      assert.equal(status, 1);
      assert.match(stderr, /^busbar: needs Node\.js 22\.19 or later, [^\n]+\n$/);
    }
  });

  const overlays: [text: string | undefined, says: RegExp][] = [
    ["providers: { hubspot: { baseURL: 7 } }", /providers\.hubspot\.baseURL/],
    ["providers: { hubspot: { oauth2Opts: { tokenURL: [] } } }", /providers\.hubspot\.oauth2Opts\.tokenURL/],
    ["provider: {}", /provider.*unknown member/],
    ["providers: {", /cannot be read/],
    ["", /empty/],
    [undefined, /cannot be read.*ENOENT/],
  ];
  for (const [text, says] of overlays) {
    test(`names the file of a catalog with \`${text ?? "nothing there"}\` and the place of the fault, in one line`, async () => {
      const path = join(dataDir, text === undefined ? "none.yaml" : "catalog.yaml");
      if (text !== undefined) await writeFile(path, text);
      const ports = { BUSBAR_PORT: "0", BUSBAR_PROXY_PORT: "0" };
      const env = { ...withDatabase(), ...ports, BUSBAR_DATA_DIR: dataDir, BUSBAR_CATALOG: path };
      const config = readConfig(env);
      await assert.rejects(startBusbar({ config, log: createLog("silent") }), (error: unknown) => {
        assert.ok(error instanceof StartError);
        assert.match(error.message, says);
        assert.match(error.message, /^BUSBAR_CATALOG: \/[^\n]+\.yaml [^\n]+$/);
        return true;
      });
    });
  }
});
