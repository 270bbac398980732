/** Guarantees of batches in descriptions, for each object that has them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { RecordWrite, WriteResult } from "../connector-kit/connector.ts";
import { hasBatch } from "../connector-kit/declarative/write/declarative-batch.ts";
import type { ObjectPlan } from "../connector-kit/declarative/object-plan.ts";
import type { JsonObject } from "../ground/json.ts";
import { REFUSED } from "./simulated-answer.ts";
import { example } from "./suite-calls.ts";
import type { World } from "./simulated-world.ts";

export function testBatches(world: () => World, plan: ObjectPlan): void {
  const { name, modes } = plan;
  if (modes.includes("create") && hasBatch(plan, buildBatch(plan, "create", [])))
    test(`${name} are created in batches, each outcome in its place, and a refused record does not stop the others`, async () => {
      const { simulation } = world();
      const records = Array.from({ length: chooseSize(plan, "create") + 2 }, (_, index) => ({
        fields: { ...example(plan), ...buildReference(plan, index), n: index === 1 ? REFUSED : `n${index}` },
      }));
      const before = simulation.requests.length;
      const { outcomes } = await readWritten(world(), buildBatch(plan, "create", records));
      for (const [index, outcome] of outcomes.entries()) {
        if (index === 1) assert.equal(!outcome.success && outcome.error.kind, "invalid");
        else assert.ok(outcome.success, JSON.stringify(outcome));
        if (outcome.success) assert.equal(listFields(world(), plan, outcome.recordId)?.["n"], `n${index}`);
      }
      assert.equal(simulation.account.records(name).length, records.length - 1);
      const alone = plan.batch?.create?.together ? chooseSize(plan, "create") : 0;
      assert.equal(simulation.requests.length - before, 2 + alone);
    });
  if (modes.includes("update") && hasBatch(plan, buildBatch(plan, "update", [])))
    test(`${name} are updated in batches, a record that comes twice gets both in order, and a missing one fails alone`, async () => {
      const { simulation } = world();
      const ids = [1, 2, 3].map(() => simulation.account.put(name, { kept: "k" }));
      const gone = simulation.account.put(name, {});
      simulation.account.remove(name, gone);
      const records = [...ids, gone, ...ids.slice(0, 1)].map((id, index) => ({
        id,
        fields: { n: `n${index}` },
      }));
      const { outcomes } = await readWritten(world(), buildBatch(plan, "update", records));
      assert.deepEqual(
        outcomes.map((outcome) => (outcome.success ? outcome.recordId : undefined)),
        [...ids, undefined, ids[0]],
      );
      assert.deepEqual(
        simulation.account.records(name).map(({ fields }) => fields),
        ["n4", "n1", "n2"].map((n) => ({ kept: "k", n })),
      );
    });
  const [key] = plan.upsert?.keys ?? [];
  if (key !== undefined && hasBatch(plan, buildBatch(plan, "upsert", [])))
    test(`${name} are upserted in batches: records with one key become one record`, async () => {
      const { simulation } = world();
      const records = ["a", "b", "a"].map((value, index) => ({ fields: { [key]: value, n: `n${index}` } }));
      const { outcomes } = await readWritten(world(), { ...buildBatch(plan, "upsert", records), key });
      assert.ok(outcomes.every(({ success }) => success));
      assert.deepEqual(
        simulation.account.records(name).map(({ fields }) => fields),
        [
          { [key]: "a", n: "n2" },
          { [key]: "b", n: "n1" },
        ],
      );
    });
}

const buildBatch = (
  { name }: ObjectPlan,
  type: RecordWrite["type"],
  records: RecordWrite["records"],
): RecordWrite => ({ objectName: name, type, batch: true, allOrNone: false, headers: {}, records });

/** Builds fields with a reference of their own, for objects in which a field is the reference of a record. */
function buildReference({ batch }: ObjectPlan, index: number): JsonObject {
  const field = batch?.create?.ref?.of;
  return field === undefined ? {} : { [field]: `n${index}@example.com` };
}

const chooseSize = ({ batch }: ObjectPlan, type: "create" | "update"): number =>
  batch?.[type]?.most ?? batch?.requests?.most ?? 0;

const listFields = (
  { simulation }: World,
  { name }: ObjectPlan,
  id: string | undefined,
): JsonObject | undefined => simulation.account.records(name).find((record) => record.id === id)?.fields;

function readWritten({ connector: { write }, fetch }: World, request: RecordWrite): Promise<WriteResult> {
  assert.ok(write);
  return write.write(request, fetch);
}
