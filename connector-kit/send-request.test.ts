import assert from "node:assert/strict";
import { test } from "node:test";
import { retryAfter } from "./send-request.ts";
import { ProviderError } from "./provider-error.ts";

const told = (text: string) => retryAfter({ status: 429, headers: { "retry-after": text }, text: "" });

test("a Retry-After that names no moment counts as none", () => {
  for (const text of ["soon", "", "99999999999999999999999"]) assert.equal(told(text), undefined, text);
  assert.ok(Math.abs((told("30")?.getTime() ?? 0) - Date.now() - 30_000) < 1_000);
});

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
