/** ServiceNow's audit of deleted records, and lists that take it too long. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Checkpoint, DeletionPage, ReadPage } from "../../connector-kit/read-connector.ts";
import { planRead } from "../../connector-kit/testing/order-fixture.ts";
import { replay, type Reply } from "../../connector-kit/testing/replay.ts";
import { CONNECTORS } from "../connectors.gen.ts";

const { read } = CONNECTORS["serviceNow"] ?? {};
assert.ok(read);

const period = {
  objectName: "incident",
  since: new Date("2026-08-01T10:00:00Z"),
  until: new Date("2026-09-01T00:00:00Z"),
  account: { timeZone: "Europe/Berlin" },
};

/** A row as ronidas39/snowloader shows it (tests, 2026-08-28); the table is named in the vendor's pages of deleted records. */
const row = (key: string, table: string) => ({
  documentkey: key,
  tablename: table,
  sys_created_on: "2026-08-15 10:00:00",
});

const askedFor = async (objectName: string): Promise<string | null> => {
  const { fetch, requests } = replay({ status: 200, body: { result: [] } });
  await read.readDeletions({ ...period, objectName }, undefined, fetch);
  return new URL(requests[0]?.path ?? "", "https://acme.example").searchParams.get("sysparm_query");
};

test("deletions are read from the audit of deletions, by the name of the table", async () => {
  const { fetch, requests } = replay({
    status: 200,
    body: { result: [row("a9e30c7dc61122760116894de7bcc7bd", "incident")] },
  });
  const { records, next } = await read.readDeletions(period, undefined, fetch);
  assert.deepEqual(
    records.map(({ id, deletedTime }) => [id, deletedTime?.toISOString()]),
    [["a9e30c7dc61122760116894de7bcc7bd", "2026-08-15T10:00:00.000Z"]],
  );
  assert.equal(next, undefined);
  assert.match(requests[0]?.path ?? "", /^\/api\/now\/table\/sys_audit_delete\?/);
  // The bound is in the zone of the user, like those of changes.
  assert.equal(
    await askedFor("incident"),
    "tablename=incident^sys_created_on>=2026-08-01 12:00:00^ORDERBYsys_created_on^ORDERBYsys_id",
  );
});

/** Tables of ServiceNow's pages (ServiceNowDocs, Agent Client Collector API, Table API); `u_` is the prefix of a customer's own. */
test("a configuration item is deleted under the name of its own table", async () => {
  const [condition = ""] = ((await askedFor("cmdb_ci")) ?? "").split("^sys_created_on");
  const [, part = "nothing"] = /^tablenameLIKE(.+)$/.exec(condition) ?? [];
  for (const table of ["cmdb_ci", "cmdb_ci_server", "u_cmdb_ci_laptop", "sn_agent_cmdb_ci_agent"])
    assert.ok(table.includes(part), `${table} by ${condition}`);
});

test("a user who may not read the audit reads no deletions, and the read says so", async () => {
  const { fetch } = replay({
    status: 403,
    body: {
      error: { message: "User Not Authorized", detail: "Failed API level ACL Validation" },
      status: "failure",
    },
  });
  const page = await read.readDeletions(period, undefined, fetch);
  assert.deepEqual([page.records, page.next], [[], undefined]);
  assert.match(page.warning ?? "", /deletions of incident are not read.*Failed API level ACL/);
});

/** The body is that of recorded answers of others; ServiceNow/PySNC (pysnc/record.py, aa07b48) asks for "a lower batch size" then. */
test("a list that ServiceNow breaks off with the status 200 is asked for in smaller pages, and no record is missed", async () => {
  const rows = (...ids: number[]) => ids.map((id) => ({ sys_id: String(id).padStart(32, "a") }));
  const message = "Transaction cancelled: maximum execution time exceeded";
  const brokenOff = {
    result: rows(1),
    error: { detail: `${message}. Check logs for error trace.`, message },
    status: "failure",
  };
  // Some of the recorded bodies are no JSON: the record at work is cut off.
  const cut = JSON.stringify(brokenOff).replace("}]", '},}"" ]');
  for (const body of [brokenOff, cut]) {
    const { fetch, requests } = replay({ status: 200, body }, { status: 200, body: { result: rows(1, 2) } });
    const plan = { objectName: "incident", fields: [], filters: [], associations: [] };
    const { records, next } = await read.readPage(plan, undefined, fetch);
    assert.deepEqual(
      records.map(({ id }) => id),
      rows(1, 2).map(({ sys_id: id }) => id),
    );
    assert.equal(next, undefined);
    const sizes = requests.map(({ path }) => Number(/sysparm_limit=(\d+)/.exec(path)?.[1]));
    assert.deepEqual(sizes, [sizes[0], Math.floor((sizes[0] ?? 0) / 2)]);
  }
});

test("the audit of deletions, too, is asked for in smaller pages where it takes too long", async () => {
  const detail = "Transaction cancelled: maximum execution time exceeded. Check logs for error trace.";
  const key = "a9e30c7dc61122760116894de7bcc7bd";
  for (const objectName of ["incident", "cmdb_ci"]) {
    const { fetch, requests } = replay(
      { status: 200, body: { result: [], error: { detail, message: "" }, status: "failure" } },
      { status: 200, body: { result: [row(key, objectName)] } },
    );
    const { records } = await read.readDeletions({ ...period, objectName }, undefined, fetch);
    assert.deepEqual(
      records.map(({ id }) => id),
      [key],
    );
    assert.equal(requests.length, 2);
  }
});

const ROWS = 3_000;
const TOO_LONG = { detail: "Transaction cancelled: maximum execution time exceeded", message: "" };

/** A table of 3,000 rows; a page of more than so many rows behind the first 1,900 takes ServiceNow too long. */
const slowTable =
  (fast: number) =>
  ({ path }: { path: string }): Reply => {
    const url = new URL(path, "https://acme.example");
    const [size, from] = ["limit", "offset"].map((name) =>
      Number(url.searchParams.get(`sysparm_${name}`) ?? 0),
    );
    assert.ok(size !== undefined && from !== undefined);
    if (from >= 1_900 && size > fast)
      return { status: 200, body: { result: [], error: TOO_LONG, status: "failure" } };
    const result = Array.from({ length: Math.min(size, ROWS - from) }, (_, index) => ({
      sys_id: String(from + index).padStart(32, "a"),
    }));
    url.searchParams.set("sysparm_offset", String(from + size));
    return {
      status: 200,
      body: { result },
      ...(from + size < ROWS && { headers: { link: `<${url.href}>;rel="next"` } }),
    };
  };

test("smaller pages go on where the larger one would have begun: each row is read once", async () => {
  const { fetch, requests } = replay(slowTable(250));
  const ids: string[] = [];
  let checkpoint: Checkpoint | undefined;
  do {
    const page: ReadPage = await read.readPage(planRead("incident"), checkpoint, fetch);
    assert.equal(page.restarted, undefined);
    ids.push(...page.records.map(({ id }) => id));
    checkpoint = page.next;
    assert.ok(requests.length < 100, "the scan ends");
  } while (checkpoint);
  assert.deepEqual([ids.length, new Set(ids).size], [ROWS, ROWS]);
  // Two of 1,000 rows, two that take too long, five of 250, each of which begins with three rows of the one before.
  assert.equal(requests.length, 2 + 2 + 5);
  const queries = requests.map(({ path }) => /sysparm_query=[^&]*/.exec(path)?.[0]);
  assert.equal(new Set(queries).size, 1);
});

test("a page that takes too long however small it is is not asked for in more than three smaller sizes", async () => {
  const { fetch, requests } = replay(slowTable(0));
  const first = await read.readPage(planRead("incident"), undefined, fetch);
  const second = await read.readPage(planRead("incident"), first.next, fetch);
  await assert.rejects(read.readPage(planRead("incident"), second.next, fetch), /maximum execution time/);
  const sizes = requests.map(({ path }) => Number(/sysparm_limit=(\d+)/.exec(path)?.[1]));
  assert.deepEqual(sizes, [1000, 1000, 1000, 500, 250, 125]);
});

test("the audit of deletions goes on at its place in smaller pages, too", async () => {
  const rows = Array.from({ length: 1_500 }, (_, index) => row(String(index).padStart(32, "a"), "incident"));
  const slowAudit = ({ path }: { path: string }): Reply => {
    const url = new URL(path, "https://acme.example");
    const size = Number(url.searchParams.get("sysparm_limit"));
    const from = Number(url.searchParams.get("sysparm_offset") ?? 0);
    if (from >= 1_000 && size > 500)
      return { status: 200, body: { result: [], error: TOO_LONG, status: "failure" } };
    url.searchParams.set("sysparm_offset", String(from + size));
    return {
      status: 200,
      body: { result: rows.slice(from, from + size) },
      ...(from + size < rows.length && { headers: { link: `<${url.href}>;rel="next"` } }),
    };
  };
  for (const objectName of ["incident", "cmdb_ci"]) {
    const { fetch, requests } = replay(slowAudit);
    const ids: string[] = [];
    let place: Checkpoint | undefined;
    do {
      const page: DeletionPage = await read.readDeletions({ ...period, objectName }, place, fetch);
      assert.equal(page.restarted, undefined);
      ids.push(...page.records.map(({ id }) => id));
      place = page.next;
      assert.ok(requests.length < 20, "the scan ends");
    } while (place);
    assert.deepEqual([ids.length, new Set(ids).size, requests.length], [1_500, 1_500, 3]);
  }
});
