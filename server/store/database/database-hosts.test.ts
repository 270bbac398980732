/** A DATABASE_URL with several hosts. */
import assert from "node:assert/strict";
import dns from "node:dns";
import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { test, type TestContext } from "node:test";
import { createTestDatabase } from "../../../tests/harness/database.ts";
import { until } from "../../../tests/harness/until.ts";
import { createLog } from "../../../ground/log.ts";
import { listenForChanges } from "./changes.ts";
import { isDatabaseAway } from "./database-outage.ts";
import { openDatabase } from "./open-database.ts";
import { openPool } from "./pool.ts";

const log = createLog("silent");

/** A second address of the test's database, which can go away. */
async function secondAddress(t: TestContext, connectionString: string) {
  const { hostname, port } = new URL(connectionString);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const onward = connect(`${decodeURIComponent(hostname)}/.s.PGSQL.${port}`);
    for (const end of [socket, onward]) {
      sockets.add(end);
      end.on("error", () => {});
    }
    socket.pipe(onward).pipe(socket);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  t.after(close);
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

async function twoHosts(t: TestContext) {
  const { connectionString, drop } = await createTestDatabase({ isDivided: false });
  t.after(drop);
  const second = await secondAddress(t, connectionString);
  const { host } = new URL(connectionString);
  return { connectionString, second, url: connectionString.replace(host, `${second.host},${host}`) };
}

test("when a host goes away, statements, notifications and new connections go to the other one", async (t) => {
  const { url, second } = await twoHosts(t);
  const database = await openDatabase({ connectionString: url, log, poolSize: 3 });
  const changes = await listenForChanges(url, log);
  t.after(async () => {
    await changes.close();
    await database.close();
  });
  const ask = () => database.queries.selectFrom("projects").select("id").execute();
  await ask();
  let reported = 0;
  changes.subscribe(() => (reported += 1));
  second.close();
  await until(() =>
    ask().then(
      () => true,
      () => false,
    ),
  );
  await until(async () => {
    await database.pool.query(`select pg_notify('busbar_changes', '{"table":"x","id":"y"}')`).catch(() => {});
    return changes.connected && reported > 0;
  });
});

test("a host that takes no writes is passed over, and none at all is refused with a sentence", async (t) => {
  const { connectionString, url, second } = await twoHosts(t);
  const database = await openDatabase({ connectionString, log });
  const name = new URL(connectionString).pathname.slice(1);
  await database.pool.query(`alter database ${name} set default_transaction_read_only = on`);
  await database.close();
  await assert.rejects(openDatabase({ connectionString: url, log }), {
    name: "StartError",
    message: /DATABASE_URL: the server is a standby, or takes no writes/,
  });
  second.close();
  await assert.rejects(openDatabase({ connectionString, log }), { message: /is a standby/ });
});

/** Returns a message of PostgreSQL's protocol. */
function message(type: string, ...body: Buffer[]): Buffer {
  const content = Buffer.concat(body);
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(content.length + 4, 1);
  return Buffer.concat([head, content]);
}

test("a session that is ended as soon as it is open fails its statement, and not the process", async (t) => {
  const AUTHENTICATED = message("R", Buffer.alloc(4));
  const READY = message("Z", Buffer.from("I"));
  const ENDED = message("E", Buffer.from("SFATAL\0C57P01\0Mterminating connection\0\0"));
  const server = createServer((socket) => {
    socket.on("error", () => {});
    // In one piece, as a server does that is told to end the session while it is opened.
    socket.once("data", () => socket.end(Buffer.concat([AUTHENTICATED, READY, ENDED])));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const connectionString = `postgres://busbar@127.0.0.1:${port}/busbar`;
  const { queries } = openPool({ connectionString, applicationName: "test", log, size: 1 });
  t.after(async () => {
    await queries.destroy();
    server.close();
  });
  await assert.rejects(queries.selectFrom("projects").select("id").execute(), isDatabaseAway);
});

test("a name that is not resolved, or of which no address answers, is an outage before the statement was sent", async (t) => {
  const failed = async (url: string) => {
    const { queries } = openPool({ connectionString: url, applicationName: "test", log, size: 1 });
    const error: unknown = await queries
      .selectFrom("projects")
      .select("id")
      .execute()
      .catch((cause: unknown) => cause);
    await queries.destroy();
    return error;
  };
  const refused = createServer().listen(0, "127.0.0.1");
  await once(refused, "listening");
  const { port } = refused.address() as AddressInfo;
  refused.close();
  const errors = [await failed("postgres://busbar@database.invalid/busbar")];
  // As of a host with an IPv4 and an IPv6 address.
  t.mock.method(dns, "lookup", (_name: string, _options: unknown, done: (...answer: unknown[]) => void) =>
    done(
      null,
      ["127.0.0.1", "127.0.0.2"].map((address) => ({ address, family: 4 })),
    ),
  );
  errors.push(await failed(`postgres://busbar@database.test:${port}/busbar`));
  for (const error of errors) {
    assert.ok(isDatabaseAway(error), String(error));
    assert.ok("address" in (error as Error), "it may have been sent");
  }
});
