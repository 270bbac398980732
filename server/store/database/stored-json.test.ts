import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { testDatabase } from "../../../tests/harness/database.ts";
import { toStoredJson } from "./stored-json.ts";

test("PostgreSQL accepts the JSON of a value with any text, and nothing else in the value changes", async (t) => {
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
