/** When a shard is taken for away. */
import assert from "node:assert/strict";
import { createServer, connect, type AddressInfo, type Socket } from "node:net";
import { test, type TestContext } from "node:test";
import { sql } from "kysely";
import { Client } from "pg";
import { createShardScene, log, testShards } from "../../../tests/harness/shards.ts";
import { until } from "../../../tests/harness/until.ts";
import { openDatabase } from "../database/open-database.ts";
import { openShard } from "./open-shard.ts";
import { pairShard } from "./pair-shard.ts";

test("a shard is not away because one more connection cannot be opened", async (t) => {
  const main = await testShards(t, ["a"]);
  const a = main.shards[1];
  assert.ok(a);
  await sql`select 1`.execute(a.data);
  const control = new Client({ connectionString: a.dataUrl });
  await control.connect();
  const name = new URL(a.dataUrl ?? "").pathname.slice(1);
  const limit = (connections: number) =>
    control.query(`alter database "${name}" connection limit ${connections}`);
  try {
    await limit(0);
    const slow = Array.from({ length: 4 }, () => sql`select pg_sleep(0.2)`.execute(a.data));
    const ended = await Promise.allSettled(slow);
    assert.ok(
      ended.some(({ status }) => status === "fulfilled"),
      "the connection that is open is used",
    );
    assert.ok(ended.some(({ status }) => status === "rejected"));
    assert.equal(a.trouble, undefined);
    await sql`select 1`.execute(a.data);
  } finally {
    await limit(-1);
    await control.end();
  }
});

test("a shard whose server does not answer is away, also while more requests come than it has connections", async (t) => {
  let main: Awaited<ReturnType<typeof openDatabase>> | undefined;
  t.after(async () => void (await main?.close()));
  const { connectionString, pairs } = await createShardScene(t, ["a"]);
  const [pair] = pairs;
  assert.ok(pair);
  await pairShard(pair, log);
  const way = await openWay(t, pair.url);
  main = await openDatabase({ connectionString, log, poolSize: 5 });
  const a = await openShard(main, { ...pair, url: way.url, log, poolSize: 5 });
  await sql`select 1`.execute(a.data);
  way.fallSilent();
  const ended = new AbortController();
  // Refused at once, they would leave no time for anything else.
  const mustGoOn = () => !ended.signal.aborted && a.trouble === undefined;
  const clients = Array.from({ length: 8 }, async () => {
    while (mustGoOn()) await sql`select 1`.execute(a.data).catch(() => {});
  });
  try {
    await until(() => a.trouble !== undefined, 60_000);
  } finally {
    ended.abort();
    way.close();
    await Promise.all(clients);
  }
});

/** Opens a way to a server, which takes connections and passes nothing on after it has fallen silent, as for a host that is gone. */
async function openWay(t: TestContext, to: string) {
  const target = new URL(to);
  const host = decodeURIComponent(target.hostname);
  const sockets = new Set<Socket>();
  let isSilent = false;
  const listener = createServer((client) => {
    const port = Number(target.port || "5432");
    const server = isSilent
      ? undefined
      : host.startsWith("/")
        ? connect(`${host}/.s.PGSQL.${port}`)
        : connect(port, host);
    for (const socket of server ? [client, server] : [client]) {
      sockets.add(socket);
      socket.on("error", () => {}).on("close", () => [client, server].forEach((end) => end?.destroy()));
    }
    if (server) client.pipe(server).pipe(client);
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const endConnections = () => sockets.forEach((socket) => socket.destroy());
  const close = () => {
    listener.close();
    endConnections();
  };
  t.after(close);
  const url = new URL(to);
  url.hostname = "127.0.0.1";
  url.port = String((listener.address() as AddressInfo).port);
  return {
    url: url.href,
    fallSilent() {
      isSilent = true;
      endConnections();
    },
    close,
  };
}
