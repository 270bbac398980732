/** Every operation of openapi.json, called on a real Busbar: each does what it promises at least once. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { walkEveryOperation } from "./every-operation/every-operation.ts";
import { operations } from "./every-operation/walk.ts";

/** Operations that only refuse, and their status. */
const REFUSED: Record<string, number> = {
  getOrgBillingAccount: 404,
  createBillingAccountSession: 404,
};

test("every operation answers as declared; those of billing answer 404", async () => {
  const heard = await walkEveryOperation();
  const refused = heard.flatMap(({ operationId, refusedWith }) =>
    refusedWith === undefined ? [] : [[operationId, refusedWith]],
  );
  assert.deepEqual(Object.fromEntries(refused), REFUSED);
  const done = new Set(heard.flatMap((one) => (one.refusedWith === undefined ? [one.operationId] : [])));
  assert.deepEqual(
    [...operations().keys()].filter((operationId) => !done.has(operationId) && !(operationId in REFUSED)),
    [],
    "operations that no walk calls: add them to the walk beside the endpoint (<resource>.walk.ts)",
  );
});
