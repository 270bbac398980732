/** Guarantees of creates with a key, for each provider that supports keys. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ObjectPlan } from "../connector-kit/declarative/object-plan.ts";
import type { JsonObject } from "../ground/json.ts";
import type { World } from "./simulated-world.ts";

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
