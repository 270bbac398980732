/** Guarantees of what only some descriptions have: lists of fields, batches, and creates with a key. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ObjectPlan } from "../../connector-kit/declarative/object-plan.ts";
import { formatFieldPath } from "../../ground/field-path.ts";
import { listAccountFields } from "./simulated-fields.ts";
import { type World, cloneExample } from "./suite-world.ts";
import type { RecordWrite, WriteResult } from "../../connector-kit/connector.ts";
import { hasBatch } from "../../connector-kit/declarative/write/declarative-batch.ts";
import type { JsonObject } from "../../ground/json.ts";
import { REFUSED } from "./simulated-exchange.ts";

export function testFields(world: () => World, plan: ObjectPlan): void {
  const { name, metadata } = plan;
  if (!metadata) return;
  test(`the fields of ${name} are told with their kinds, flags and values, from all pages`, async () => {
    const {
      connector: { fields },
      fetch,
    } = world();
    assert.ok(fields);
    assert.equal(fields.describes?.(name), true);
    const reported = await fields.describe(name, fetch);
    assert.equal(reported.name, name);
    const listed = listAccountFields(plan).filter(({ isSkipped }) => !isSkipped);
    const known = Object.keys(metadata.fields ?? {});
    const { customIn, nameHasDots } = metadata.list ?? {};
    const names = listed.map(({ name: fieldName, isCustom }) =>
      formatFieldPath([
        ...(isCustom && customIn !== undefined ? [customIn] : []),
        ...(nameHasDots ? fieldName.split(".") : [fieldName]),
      ]),
    );
    assert.deepEqual(Object.keys(reported.fields).toSorted(), [...new Set([...known, ...names])].toSorted());
    for (const [index, field] of listed.entries()) {
      const shown = reported.fields[names[index] ?? ""];
      assert.equal(shown?.valueType, metadata.list?.types[field.providerType]);
      assert.equal(shown?.isCustom, field.isCustom);
      assert.equal(shown?.readOnly, field.isReadOnly);
      assert.equal(shown?.isRequired, field.isRequired);
      assert.deepEqual(shown?.values?.map(({ value }) => value) ?? [], field.values);
    }
  });
}

export function testBatches(world: () => World, plan: ObjectPlan): void {
  const { name, modes } = plan;
  if (modes.includes("create") && hasBatch(plan, buildBatch(plan, "create", [])))
    test(`${name} are created in batches, each outcome in its place, and a refused record does not stop the others`, async () => {
      const { simulation } = world();
      const records = Array.from({ length: chooseSize(plan, "create") + 2 }, (_, index) => ({
        fields: {
          ...cloneExample(plan),
          ...buildReference(plan, index),
          n: index === 1 ? REFUSED : `n${index}`,
        },
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

/** Tests one object only, because a lost answer takes time. */
export function testKeys(world: () => World, plans: ObjectPlan[]): void {
  const plan = plans.find(({ create, modes }) => modes.includes("create") && create?.idempotencyKeyTo);
  if (!plan) return;
  test("a create whose answer is lost is repeated under its key, so that there is one record", async () => {
    const { simulation, connector, fetch } = world();
    const create = async (key: string): Promise<string | undefined> => {
      const result = await connector.write?.write(
        {
          objectName: plan.name,
          type: "create",
          batch: false,
          allOrNone: false,
          headers: {},
          records: [
            { fields: structuredClone((plan.example ?? {}) as JsonObject), idempotencyKey: () => key },
          ],
        },
        fetch,
      );
      const [outcome] = result?.outcomes ?? [];
      return outcome?.success ? outcome.recordId : undefined;
    };
    simulation.next = "lost";
    const first = await create("key-1");
    const stored = () => simulation.account.records(plan.name).map(({ id }) => id);
    assert.deepEqual(stored(), [first]);
    const second = await create("key-2");
    assert.deepEqual(stored(), [first, second]);
    assert.equal(await create("key-2"), second);
    assert.deepEqual(stored(), [first, second]);
  });
}
