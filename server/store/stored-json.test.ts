import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { testDatabase } from "../../tests/harness/database.ts";
import { toStoredJson } from "./stored-json.ts";

test("whatever texts a value holds, PostgreSQL takes its JSON, and nothing else in it changes", async (t) => {
  const { queries } = await testDatabase(t);
  const value = { "a\0": "\ud800", pair: "😀", text: "\\u0000", deep: ["\\\0", "\udc00x", 1.5, null] };
  const { rows } = await sql<{ value: unknown }>`select ${toStoredJson(value)}::jsonb as value`.execute(
    queries,
  );
  assert.deepEqual(rows[0]?.value, {
    "a\ufffd": "\ufffd",
    pair: "😀",
    text: "\\u0000",
    deep: ["\\\ufffd", "\ufffdx", 1.5, null],
  });
});
