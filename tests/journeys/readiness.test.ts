/** /readyz and background work, while the database is migrated by a newer version or takes no writes. */
import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { Client } from "pg";
import { startTestBusbar, type TestBusbar } from "../harness/busbar.ts";
import { freePort } from "../harness/free-port.ts";
import { until } from "../harness/until.ts";

async function run({ connectionString }: TestBusbar, ...statements: string[]): Promise<void> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

async function ready(busbar: TestBusbar, query = ""): Promise<{ status: number; detail: string }> {
  const answer = await fetch(`${new URL(busbar.server.urls.base).origin}/readyz${query}`);
  const { detail = "" } = (await answer.json()) as { detail?: string };
  return { status: answer.status, detail };
}

/** A busy machine may take longer for a check than it is given. */
const untilReady = (busbar: TestBusbar) => until(async () => (await ready(busbar)).status === 200);
const untilUnready = (busbar: TestBusbar, why: RegExp) =>
  until(async () => {
    const { status, detail } = await ready(busbar);
    return status === 503 && why.test(detail);
  });

test("background work ends and /readyz says why as soon as a newer version has migrated the database", async (t) => {
  const busbar = await startTestBusbar(t);
  await untilReady(busbar);
  await run(
    busbar,
    "insert into migrations (name) values ('9999_of_the_future.sql')",
    `notify busbar_changes, '{"table":"migrations","id":"9999_of_the_future.sql"}'`,
  );
  await untilUnready(busbar, /newer version/);
  // A newer process proxies. If the check comes late, this one would do so.
  await until(async () => (await ready(busbar, "?for=proxy")).status === 503);
  await run(busbar, "delete from migrations where name = '9999_of_the_future.sql'");
  await until(async () => /worker is not running/.test((await ready(busbar)).detail));
});

test("a newer version's migration on which this one works stops nothing, and this one starts on it", async (t) => {
  const busbar = await startTestBusbar(t);
  await run(
    busbar,
    "insert into migrations (name, compatible) values ('9999_of_the_future.sql', true)",
    `notify busbar_changes, '{"table":"migrations","id":"9999_of_the_future.sql"}'`,
  );
  await untilReady(busbar);
  await busbar.restart();
  await untilReady(busbar);
});

test("/readyz says that the database takes no writes", async (t) => {
  const busbar = await startTestBusbar(t);
  await run(
    busbar,
    "alter table readiness add constraint full_disk check (checked_time < '2000-01-01') not valid",
  );
  await untilUnready(busbar, /takes no writes/);
  assert.equal((await ready(busbar, "?for=proxy")).status, 200, "calls are proxied all the same");
});

test("a process without the role api answers health checks and metrics at BUSBAR_HEALTH_PORT, and nothing else", async (t) => {
  const busbar = await startTestBusbar(t);
  const port = await freePort();
  await busbar.sibling({ BUSBAR_ROLES: "worker", BUSBAR_METRICS: "true", BUSBAR_HEALTH_PORT: String(port) });
  const get = (path: string) =>
    fetch(`http://127.0.0.1:${port}${path}`, { headers: { "x-api-key": busbar.apiKey } });
  assert.equal((await get("/healthz")).status, 200);
  await until(async () => (await get("/readyz")).status === 200);
  assert.equal((await get("/readyz?for=proxy")).status, 503, "it has no proxy");
  assert.match(await (await get("/metrics")).text(), /^busbar_/m);
  for (const path of ["/", "/v1/projects", "/openapi.json", "/readyz/", "//v1/projects"])
    assert.equal((await get(path)).status, 404, path);
});

test("silent connections keep health checks out for some seconds only", async (t) => {
  const busbar = await startTestBusbar(t);
  const port = await freePort();
  await busbar.sibling({ BUSBAR_ROLES: "worker", BUSBAR_HEALTH_PORT: String(port) });
  const silent: Socket[] = [];
  t.after(() => silent.forEach((socket) => socket.destroy()));
  const check = () =>
    fetch(`http://127.0.0.1:${port}/healthz`).then(
      ({ status }) => status,
      () => undefined,
    );
  // Begun anew while a check is answered: those seconds may be over on a busy machine.
  await until(async () => {
    for (let index = 0; index < 100; index += 1)
      silent.push(connect(port, "127.0.0.1").on("error", () => {}));
    return (await check()) === undefined;
  });
  await until(async () => (await check()) === 200);
});
