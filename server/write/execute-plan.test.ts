import assert from "node:assert/strict";
import { test } from "node:test";
import { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import { replay } from "../../connector-kit/testing/replay.ts";
import { write as hubspot } from "../../connectors/hubspot/write.ts";
import { applyPlan } from "./execute-plan.ts";
import type { WritePlan } from "./plan-write.ts";

const update = (ids: string[]): WritePlan => ({
  type: "update",
  objectName: "companies",
  messageName: "companies",
  batch: true,
  allOrNone: false,
  headers: {},
  records: ids.map((id) => ({ id, fields: { city: `of ${id}` }, withheld: [], ifEmpty: ["city"] })),
});
const company = (id: string, city: string) => ({ id, properties: { city } });

test("a record of which ifEmpty leaves nothing is not sent, and the others keep their places", async () => {
  const provider = replay(({ path }) => ({
    status: 200,
    body: {
      results: path.endsWith("/read")
        ? [company("1", "full"), company("2", ""), company("3", "full")]
        : [company("2", "of 2")],
    },
  }));
  const { outcomes } = await applyPlan(update(["1", "2", "3"]), hubspot, provider.fetch, { readBack: true });
  assert.deepEqual(
    outcomes.map((outcome) => outcome.success && [outcome.recordId, Boolean(outcome.data)]),
    [
      ["1", false],
      ["2", true],
      ["3", false],
    ],
  );
  const [, sent] = provider.requests;
  assert.match(JSON.stringify(sent?.body), /^{"inputs":\[{"id":"2"[^[]*\]}$/);
});

test("nothing is sent when ifEmpty leaves nothing at all; a record that was not found is sent all the same", async () => {
  const full = replay({ status: 200, body: { results: [company("1", "full")] } });
  const written = await applyPlan(update(["1"]), hubspot, full.fetch, { readBack: true });
  assert.deepEqual(written.outcomes, [{ success: true, recordId: "1" }]);
  assert.equal(full.requests.length, 1);
  const missing = replay({ status: 200, body: { results: [] } });
  await applyPlan(update(["1"]), hubspot, missing.fetch, { readBack: true });
  assert.equal(missing.requests.length, 2);
});

test("a write whose record could not be read before was not sent, whatever the answer leaves open", async () => {
  const lost = new ProviderError({ kind: "unknown_outcome", message: "connection reset" });
  for (const reply of [lost, { status: 200, body: "<html>" }]) {
    const provider = replay(reply);
    const { outcomes, failure } = await applyPlan(update(["1"]), hubspot, provider.fetch, { readBack: true });
    assert.equal(provider.requests.length, 1);
    assert.match(failure?.message ?? "", /^not sent, because the request before it failed/);
    assert.deepEqual(
      outcomes.map((outcome) => !outcome.success && outcome.error.kind),
      ["unavailable"],
    );
  }
});

test("an update whose every field is withheld is not sent; a create of which nothing is left is", async () => {
  const withheld = [{ field: "city", reason: "writeOnUpdate is never" }];
  const plan: WritePlan = {
    ...update(["1"]),
    batch: false,
    records: [{ id: "1", fields: {}, withheld, ifEmpty: [] }],
  };
  const provider = replay({ status: 201, body: company("1", "full") });
  const updated = await applyPlan(plan, hubspot, provider.fetch, { readBack: true });
  assert.deepEqual(updated.outcomes, [{ success: true, recordId: "1" }]);
  assert.equal(provider.requests.length, 0);
  await applyPlan({ ...plan, type: "create" }, hubspot, provider.fetch, { readBack: true });
  assert.equal(provider.requests.length, 1);
});
