/** Ranges of ids, and texts in columns. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { testDatabase } from "../../../tests/harness/database.ts";
import { buildFirstId } from "../../../ground/ids.ts";
import { containsText, limitToIdRange } from "./id-range.ts";

test("a range excludes the ids that bound it, includes the beginning of a period and excludes its end", async (t) => {
  const { queries } = await testDatabase(t);
  const ids = [1_000, 2_000, 3_000, 4_000].map(buildFirstId);
  const [first = "", , third = ""] = ids;
  const inside = async (range: Parameters<typeof limitToIdRange>[1]): Promise<number[]> => {
    const { rows } = await sql<{ id: string }>`
      select id from unnest(${ids}::uuid[]) as id where ${limitToIdRange("id", range)} order by id
    `.execute(queries);
    return rows.map(({ id }) => ids.indexOf(id) + 1);
  };
  assert.deepEqual(await inside({}), [1, 2, 3, 4]);
  assert.deepEqual(await inside({ before: third }), [1, 2]);
  assert.deepEqual(await inside({ after: first }), [2, 3, 4]);
  assert.deepEqual(await inside({ since: new Date(2_000), until: new Date(4_000) }), [2, 3]);
  assert.deepEqual(await inside({ since: new Date(2_000), before: third }), [2]);
});

test("a text is found in any case, and characters of patterns stand for themselves", async (t) => {
  const { queries } = await testDatabase(t);
  const names = ["100 % Wolle", "1000 Wolle", "Acme_1", String.raw`a\b`, "Übung"];
  const found = async (text: string): Promise<string[]> => {
    const { rows } = await sql<{ name: string }>`
      select name from unnest(${names}::text[]) as name where ${containsText(["name"], text)}
    `.execute(queries);
    return rows.map(({ name }) => name);
  };
  assert.deepEqual(await found("WOLLE"), names.slice(0, 2));
  assert.deepEqual(await found("0 %"), names.slice(0, 1));
  assert.deepEqual(await found("ÜBUNG"), names.slice(4));
  assert.deepEqual(await found("e_"), names.slice(2, 3));
  assert.deepEqual(await found(String.raw`a\B`), names.slice(3, 4));
});
