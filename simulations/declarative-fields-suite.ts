/** Guarantees of fields in descriptions, for each object that has them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ObjectPlan } from "../connector-kit/declarative/object-plan.ts";
import { formatFieldPath } from "../ground/field-path.ts";
import { listAccountFields } from "./simulated-fields.ts";
import type { World } from "./simulated-world.ts";

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
