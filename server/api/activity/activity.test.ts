/** Counts of activity through the API. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { shareTestBusbar } from "../../../tests/harness/busbar.ts";
import { connectCustomer } from "../../../tests/harness/connect-customer.ts";
import { until } from "../../../tests/harness/until.ts";

const MANIFEST = `specVersion: 1.0.0
integrations:
  - name: crm
    provider: hubspot
    write: { objects: [{ objectName: contacts }] }
    proxy: { enabled: true }
`;

interface Values {
  key?: string;
  count: number;
  failed: number;
}

const busbar = await shareTestBusbar();

const customer = {
  provider: "hubspot",
  manifest: MANIFEST,
  integration: "crm",
  groupRef: "acme",
} as const;
const { installationId } = await connectCustomer(busbar, customer);
const write = (email: string) =>
  busbar.call("POST", "/write/v1/projects/default/integrations/crm/objects/contacts", {
    groupRef: "acme",
    type: "create",
    record: { email },
  });
await write("ada@example.com");
await write("no address");
const call = (path: string) =>
  busbar.inProject("POST", `/integrations/crm/installations/${installationId}:call`, {
    method: "GET",
    path,
  });
await call("/crm/v3/objects/contacts");
await call("/crm/v3/objects/contacts/nobody");
await until(async () => (await busbar.inProject("GET", "/proxy-calls")).body.results.length === 2);

describe("activity", () => {
  const activity = async (query: string) => (await busbar.inProject("GET", `/activity?${query}`)).body;
  const sum = (values: Values[]) => values.reduce((all, { count }) => all + count, 0);

  for (const [of, list, by] of [
    ["operations", "operations", "object"],
    ["operations", "operations", "group"],
    ["proxyCalls", "proxy-calls", "status"],
    ["proxyCalls", "proxy-calls", "integration"],
    ["deliveries", "deliveries:search", "destination"],
  ] as const) {
    test(`the buckets of ${of} by ${by} add up to the totals and to the list of the same time`, async () => {
      const { buckets, totals, since, until: end } = await activity(`of=${of}&by=${by}&bucketSeconds=120`);
      assert.equal(sum(buckets.flatMap(({ values }: { values: Values[] }) => values)), sum(totals));
      if (of === "deliveries") return;
      const rows = (await busbar.inProject("GET", `/${list}?since=${since}&until=${end}`)).body.results;
      assert.equal(sum(totals), rows.length);
      assert.ok(rows.length >= 2 || of === "operations");
    });
  }

  test("failures, keys and durations are counted apart", async () => {
    const { totals } = await activity("of=proxyCalls&by=status");
    assert.deepEqual(totals.map(({ key, count, failed }: Values) => [key, count, failed]).toSorted(), [
      ["200", 1, 0],
      ["404", 1, 1],
    ]);
    const [all] = (await activity("of=proxyCalls&by=group")).totals;
    assert.deepEqual([all.key, all.count, all.failed], ["acme", 2, 1]);
    assert.ok(all.p95Ms >= all.p50Ms);
  });

  test("with a key, only rows with this value are counted", async () => {
    const [only, ...others] = (await activity("of=proxyCalls&by=status&key=404")).totals;
    assert.deepEqual([only.key, only.count, only.failed, others], ["404", 1, 1, []]);
    assert.deepEqual((await activity("of=operations&by=group&key=nobody")).totals, []);
    const { status, body } = await busbar.inProject("GET", "/activity?of=operations&key=acme");
    assert.equal(status, 400);
    assert.match(body.detail, /needs `by`/);
  });

  test("a time of too many buckets, a dimension that the rows lack and a wrong order are refused", async () => {
    for (const query of [
      "of=operations&by=destination",
      "of=operations&since=2026-01-01T00:00:00Z&until=2026-01-02T00:00:00Z&bucketSeconds=60",
      "of=operations&since=2026-01-02T00:00:00Z&until=2026-01-01T00:00:00Z",
      "of=operations&bucketSeconds=90",
      "of=nothing",
    ])
      assert.equal((await busbar.inProject("GET", `/activity?${query}`)).status, 400, query);
    const empty = await activity("of=operations&since=2020-01-01T00:00:10Z&until=2020-01-01T00:02:10Z");
    assert.deepEqual([empty.since, empty.until], ["2020-01-01T00:00:00.000Z", "2020-01-01T00:03:00.000Z"]);
    assert.deepEqual([empty.buckets[0].values, empty.totals], [[], []]);
  });
});
