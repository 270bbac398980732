import assert from "node:assert/strict";
import { test } from "node:test";
import { ProviderError } from "./provider-error.ts";

test("what a provider said can always be stored: no NUL, no half character, no endless text", () => {
  const error = new ProviderError({
    kind: "invalid",
    message: `a\0b\ud800${"x".repeat(1_000_000)}`,
    code: "\0",
    rawResponse: '"\0"',
  });
  for (const text of [error.message, error.code ?? "", error.rawResponse ?? ""]) {
    assert.ok(!text.includes("\0") && text.isWellFormed());
  }
  assert.ok(error.message.length < 3_000);
});
