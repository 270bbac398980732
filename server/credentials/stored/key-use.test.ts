/** Which encryption keys the stored values need. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { testDatabase } from "../../../tests/harness/database.ts";
import { Sealer } from "../../../ground/seal.ts";
import { findWrongKeys } from "./key-use.ts";

test("a key whose values another process has encrypted again, or removed, since they were counted is not wrong", async (t) => {
  const { queries } = await testDatabase(t);
  const sealer = new Sealer([
    { id: "new", secret: Buffer.alloc(32, 2) },
    { id: "old", secret: Buffer.alloc(32, 1) },
  ]);
  assert.deepEqual(await findWrongKeys(queries, sealer, [{ keyId: "old", count: 3, state: "old" }]), []);
});
