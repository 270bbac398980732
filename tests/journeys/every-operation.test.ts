/** Every operation of openapi.json, called on a real Busbar: each does what it promises at least once. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { walkEveryOperation } from "./every-operation/every-operation.ts";
import { operations } from "./every-operation/walk.ts";

test("every operation is answered as declared; what is not built or not sold says so", async () => {
  const heard = new Set((await walkEveryOperation()).map(({ operationId }) => operationId));
  assert.deepEqual(
    [...operations().keys()].filter((operationId) => !heard.has(operationId)),
    [],
    "operations that the walk does not call: add them to tests/journeys/every-operation/stations.ts",
  );
});
