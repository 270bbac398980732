import assert from "node:assert/strict";
import { test } from "node:test";
import { createLog } from "./log.ts";

test("secrets are redacted in a line and in what it holds, down to two levels", () => {
  const lines: string[] = [];
  const log = createLog("info", { write: (line) => lines.push(line) });
  const secrets = { token: "s3cret", clientSecret: "s3cret", "x-api-key": "s3cret", cookie: "s3cret" };
  log.info({ ...secrets, request: { ...secrets, headers: secrets } }, "a request");
  assert.equal(lines.length, 1);
  assert.doesNotMatch(lines[0] ?? "", /s3cret/);
  assert.equal(lines[0]?.match(/\[redacted\]/g)?.length, 12);
});
