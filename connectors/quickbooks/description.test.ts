/** QuickBooks reports deletions by its change data capture only, as its page about it and recorded answers show. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { withAccount } from "../../connector-kit/calls/with-account.ts";
import { replay } from "../../connector-kit/testing/replay.ts";
import type { JsonObject } from "../../ground/json.ts";
import { CONNECTORS } from "../connectors.gen.ts";

const DAY_MS = 86_400_000;

test("QuickBooks: deletions come from the change data capture, which has all that changed in the last 30 days, 1,000 at most", async () => {
  const connector = CONNECTORS["quickbooks"];
  assert.ok(connector);
  const { read } = withAccount(connector, { values: { realmId: "934145" } });
  assert.ok(read);
  const read30 = async (since: Date, changed: JsonObject[]) => {
    const answer: JsonObject = changed.length > 0 ? { Invoice: changed } : {};
    const body = { CDCResponse: [{ QueryResponse: [answer] }], time: "…" };
    const { fetch, requests } = replay({ status: 200, body });
    const page = await read.readDeletions(
      { objectName: "invoice", since, until: new Date() },
      undefined,
      fetch,
    );
    return { page, query: new URL(requests[0]?.path ?? "", "https://x.invalid") };
  };
  const yesterday = new Date(Math.floor(Date.now() / 1000) * 1000 - DAY_MS);
  const { page, query } = await read30(yesterday, [
    { Id: "130", SyncToken: "1", Balance: 0, MetaData: { LastUpdatedTime: new Date().toISOString() } },
    { domain: "QBO", status: "Deleted", Id: "9" },
  ]);
  assert.equal(query.pathname, "/v3/company/934145/cdc");
  assert.deepEqual(Object.fromEntries(query.searchParams), {
    entities: "Invoice",
    changedSince: `${yesterday.toISOString().slice(0, 19)}Z`,
  });
  assert.deepEqual(
    page.records.map(({ id }) => id),
    ["9"],
  );
  assert.equal(page.warning, undefined);
  assert.equal(page.next, undefined);
  assert.deepEqual((await read30(yesterday, [])).page.records, []);

  const many = Array.from({ length: 1_000 }, (_, index) => ({ Id: String(index + 1) }));
  assert.match(
    (await read30(yesterday, many)).page.warning ?? "",
    /1000 changes of invoice at once.*may be missing/,
  );

  const old = await read30(new Date(Date.now() - 40 * DAY_MS), []);
  const asked = Date.parse(old.query.searchParams.get("changedSince") ?? "");
  assert.ok(asked > Date.now() - 30 * DAY_MS && asked < Date.now() - 28 * DAY_MS);
  assert.match(old.page.warning ?? "", /deletions of invoice before .* are not reported/);
});
