/** Square's requests as its documentation describes them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { provider } from "./description.ts";

/** docs/build-basics/versioning-overview: without the header, the version is the one that the app's settings name. */
test("the version is that of the compared file, whatever an app's settings name", () => {
  assert.deepEqual(provider.fixedHeaders, [{ name: "Square-Version", valueTemplate: "2025-08-20" }]);
});
