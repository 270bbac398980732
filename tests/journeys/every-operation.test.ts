/** Every operation of openapi.json, called on a real Busbar: each does what it promises at least once. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { recordEveryOperation } from "./every-operation/every-operation.ts";
import { mapOperations } from "./every-operation/recording.ts";

/** Operations that only refuse, and their status. */
const REFUSED: Record<string, number> = {
  getOrgBillingAccount: 404,
  createBillingAccountSession: 404,
};

test("every operation answers as declared; those of billing answer 404", async () => {
  const calls = await recordEveryOperation();
  const refused = calls.flatMap(({ operationId, refusedWith }) =>
    refusedWith === undefined ? [] : [[operationId, refusedWith]],
  );
  assert.deepEqual(Object.fromEntries(refused), REFUSED);
  const done = new Set(calls.flatMap((one) => (one.refusedWith === undefined ? [one.operationId] : [])));
  assert.deepEqual(
    [...mapOperations().keys()].filter((operationId) => !done.has(operationId) && !(operationId in REFUSED)),
    [],
    "operations that delete have no example by themselves: call them in <resource>.examples.ts beside the endpoint",
  );
});
