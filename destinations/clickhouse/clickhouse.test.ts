/** The ClickHouse destination: rows in a real server, and what it refuses. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { openDestinationNetwork } from "../../server/deliver/destinations/destination-network.ts";
import type { Egress } from "../../server/egress/egress.ts";
import { openEgress } from "../../server/egress/open-egress.ts";
import { noClickHouse, startClickHouse, type ClickHouse } from "../../tests/harness/clickhouse.ts";
import {
  buildExchange,
  openSample,
  sampleDataMessage,
  sampleMessage,
  testDestination,
  testNetwork,
} from "../../tests/harness/destinations/destination-suite.ts";
import { clickhouse } from "./clickhouse.ts";

const config = { url: "https://example.com:8443", username: "crm", tableName: "messages" };
const secrets = { password: "s3cret" };
const SAMPLE = {
  config,
  secrets,
  faulty: [
    { what: "no address", config: { ...config, url: "example.com" } },
    { what: "a plain address", config: { ...config, url: "http://example.com" } },
    { what: "a password in the address", config: { ...config, url: "https://crm:s3cret@example.com" } },
    { what: "a private address", config: { ...config, url: "https://10.0.0.1" } },
  ],
  taken: { status: 200 },
};

testDestination(clickhouse, SAMPLE);

test("user and password are headers, and not part of the address", async () => {
  const network = testNetwork();
  await openSample(clickhouse, SAMPLE, network).deliver(sampleMessage());
  const [request] = network.requests;
  assert.doesNotMatch(String(request?.url), /crm|s3cret/);
  assert.equal(request?.headers["x-clickhouse-user"], "crm");
  assert.equal(request?.headers["x-clickhouse-key"], "s3cret");
});

test("an answer with a text is not ClickHouse's, and the message is retried", async () => {
  const network = testNetwork();
  network.answer = () => buildExchange(200, "<html>Please sign in</html>");
  const outcome = await openSample(clickhouse, SAMPLE, network).deliver(sampleMessage());
  assert.deepEqual([outcome.kind, outcome.status], ["failed", 200]);
  assert.match(outcome.error ?? "", /it is not ClickHouse/);
});

test("a table that is missing fails a batch with one request", async () => {
  const network = testNetwork();
  network.answer = () =>
    buildExchange(404, "Code: 60. DB::Exception: Table default.messages does not exist.");
  const outcomes = await openSample(clickhouse, SAMPLE, network).deliverAll?.([
    sampleMessage({ id: "m1" }),
    sampleMessage({ id: "m2" }),
  ]);
  assert.deepEqual(new Set(outcomes?.map(({ error }) => error?.slice(0, 8))), new Set(["Code: 60"]));
  assert.equal(network.requests.length, 1);
});

test("looking for rows that do not fit ends with the timeout, and what was not tried is retried", async () => {
  const network = { ...testNetwork(), timeoutMs: 50 };
  let requests = 0;
  network.send = async () => {
    requests += 1;
    await wait(20);
    return buildExchange(500, "Code: 27. DB::Exception: Cannot parse input.");
  };
  const messages = Array.from({ length: 64 }, (_, nth) => sampleMessage({ id: `m${nth}` }));
  const outcomes = (await openSample(clickhouse, SAMPLE, network).deliverAll?.(messages)) ?? [];
  assert.deepEqual(new Set(outcomes.map(({ kind }) => kind)), new Set(["failed"]));
  assert.equal(outcomes.length, 64);
  assert.ok(requests < 5, `${requests} requests`);
  assert.match(outcomes.at(-1)?.error ?? "", /took too long/);
});

test("what was answered to a batch is short, because each of its messages keeps it", async () => {
  const network = testNetwork();
  network.answer = () => buildExchange(404, `Code: 60. DB::Exception: ${"x".repeat(5_000)}`);
  const channel = openSample(clickhouse, SAMPLE, network);
  const outcomes = await channel.deliverAll?.([sampleMessage({ id: "m1" }), sampleMessage({ id: "m2" })]);
  for (const { answer = "" } of outcomes ?? []) assert.ok(answer.length > 100 && answer.length < 600);
});

describe("with a real ClickHouse", { skip: noClickHouse }, () => {
  let server: ClickHouse;
  let egress: Egress;
  before(async () => {
    server = await startClickHouse();
    egress = openEgress(["127.0.0.1"]);
  });
  after(async () => {
    await egress?.close();
    await server?.stop();
  });

  const open = (changes: object = {}) => {
    const { url, username, password } = server;
    const sample = { ...SAMPLE, config: { ...config, url, username, ...changes }, secrets: { password } };
    const network = openDestinationNetwork({ egress, dataDir: "/nonexistent", timeoutMs: 60_000 });
    return openSample(clickhouse, sample, network);
  };
  const table = async (columns: string, name = "messages") => {
    await server.query(`drop table if exists ${name}`);
    await server.query(`create table ${name} (${columns}) engine = MergeTree() order by tuple()`);
  };
  const rows = async (columns = "*", name = "messages") =>
    (await server.query(`select ${columns} from ${name} order by messageId format JSONEachRow`))
      .split("\n")
      .filter(Boolean)
      .map((line): Record<string, unknown> => JSON.parse(line));

  test("columns are filled from members of their name; lists are JSON text, unknown members are left out", async () => {
    await table(
      "messageId String, objectName String, result String, installationUpdateTime DateTime, missing String",
    );
    const data = JSON.stringify({
      objectName: "company",
      installationUpdateTime: "2026-01-02T03:04:05.006Z",
      result: [{ id: "<7>", fields: { name: 'Zoë "quoted" \\ \n' } }],
      unknown: { a: 1 },
    });
    const outcomes = await open().deliverAll?.([sampleDataMessage({ id: "m1", data })]);
    assert.deepEqual(
      outcomes?.map(({ kind }) => kind),
      ["delivered"],
    );
    const [row] = await rows("*, toUnixTimestamp(installationUpdateTime) as unix");
    assert.equal(row?.["objectName"], "company");
    assert.equal(row?.["missing"], "");
    assert.equal(row?.["unix"], Date.UTC(2026, 0, 2, 3, 4, 5) / 1000);
    assert.deepEqual(JSON.parse(String(row?.["result"])), JSON.parse(data).result);
  });

  test("an event has its type and its data", async () => {
    await table("messageId String, topic String, notificationType String, data String");
    assert.equal((await open({ database: "default" }).deliver(sampleMessage())).kind, "delivered");
    const [row] = await rows();
    assert.deepEqual(
      [row?.["topic"], row?.["notificationType"]],
      ["connection.created", "connection.created"],
    );
    assert.deepEqual(JSON.parse(String(row?.["data"])), { projectId: "p1", consumerName: "Zoë <&>" });
  });

  test("one row that does not fit the table fails alone, and the others are inserted once", async () => {
    await table("messageId String, count UInt32");
    const messages = Array.from({ length: 9 }, (_, nth) =>
      sampleDataMessage({ id: `m${nth}`, data: JSON.stringify({ count: nth === 4 ? "many" : nth }) }),
    );
    const outcomes = (await open().deliverAll?.(messages)) ?? [];
    const failed = outcomes.flatMap(({ kind }, nth) => (kind === "failed" ? [nth] : []));
    assert.deepEqual(failed, [4]);
    assert.match(outcomes[4]?.error ?? "", /^Code: \d+/);
    assert.deepEqual(
      (await rows()).map((row) => row["messageId"]),
      ["m0", "m1", "m2", "m3", "m5", "m6", "m7", "m8"],
    );
  });

  for (const [column, good, bad] of [
    ["Enum8('a' = 1)", "a", "b"],
    ["Decimal(9, 2)", 1.5, 123_456_789_012.5],
    ["FixedString(2)", "ab", "abc"],
    ["Array(String)", null, "text"],
    ["UUID", "01a2138d-3be5-718c-93c9-6e68dabe9459", "no id"],
    ["Date", "2026-01-02", "today"],
  ] as const) {
    test(`a value that is no ${column} fails its row alone`, async () => {
      await table(`messageId String, value ${column}`);
      const outcomes = await open().deliverAll?.(
        [good, bad].map((value, nth) =>
          sampleDataMessage({ id: `m${nth}`, data: JSON.stringify(value === null ? {} : { value }) }),
        ),
      );
      assert.deepEqual(
        outcomes?.map(({ kind }) => kind),
        ["delivered", "failed"],
      );
      assert.equal((await rows()).length, 1);
    });
  }

  test("a missing table and a wrong password are reported in the server's words", async () => {
    const missing = await open({ tableName: "nowhere" }).deliver(sampleMessage());
    assert.equal(missing.kind, "failed");
    assert.match(missing.error ?? "", /^Code: 60.*nowhere/s);
    const wrong = await open({ username: "nobody" }).deliver(sampleMessage());
    assert.equal(wrong.kind, "failed");
    assert.match(wrong.error ?? "", /^Code: \d+/);
  });
});
