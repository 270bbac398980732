/** What to do about a fault is something that can be done. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { cureReason, enableDestination } from "./cures.ts";

test("of an object whose schema cannot be read no operation tells, so none is named", () => {
  const unhealthy = { id: "1", group: "acme", type: "object", name: "person" };
  const cure = (detail: string): string => cureReason({ ...unhealthy, detail });
  assert.match(
    cure("Its fields cannot be read, so changes of its schema are not told: this app needs another scope."),
    /^Let acme give the connected app access to its fields/,
  );
  assert.match(cure("The account has no such object."), /^Look with: busbar operations/);
});

test("a disabled destination is enabled, and then gets what failed for good meanwhile", () => {
  const words = enableDestination("my app");
  assert.ok(words.indexOf("busbar rotate destination 'my app'") < words.indexOf("busbar resend"));
  assert.ok(words.endsWith("busbar resend --destination 'my app' --undelivered"));
});
