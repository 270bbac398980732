/** monday.com's requests and answers as its documentation and public clients show them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { WriteResult } from "../../connector-kit/connector.ts";
import { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import { orderWrite, planRead } from "../../connector-kit/testing/order-fixture.ts";
import { getValueAt } from "../../connector-kit/calls/get-text-at.ts";
import { replay } from "../../connector-kit/testing/replay.ts";
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";
import { CONNECTORS } from "../connectors.gen.ts";

const { read, write, fields } = CONNECTORS["monday"] ?? {};
assert.ok(read && write && fields);

const BOARD = "1234567890";
const ITEM = "9876543210";

const item = {
  id: ITEM,
  name: "Ada",
  updated_at: "2026-11-20T09:00:00Z",
  group: { id: "topics", title: "People" },
  column_values: [
    { id: "status", type: "status", text: "Done", value: '{"index":1}' },
    { id: "numbers", type: "numbers", text: "7", value: '"7"' },
    { id: "email", type: "email", text: "", value: null },
    { id: "mirror", type: "mirror", text: null, value: null },
  ],
};
const success = (data: JsonObject) => ({ status: 200, body: { data, account_id: 1 } });
const page = (cursor: string | null, level = "classic") =>
  success({ boards: [{ hierarchy_type: level, items_page: { cursor, items: [item] } }] });
const refusal = (code: string, message: string) => ({
  status: 200,
  body: {
    data: [],
    errors: [
      { message, locations: [{ line: 2, column: 3 }], path: ["me"], extensions: { code, status_code: 403 } },
    ],
    account_id: 123456,
  },
});

function readParts(body: Json | undefined): { query: string; variables: JsonObject } {
  assert.ok(body !== undefined && isJsonObject(body));
  const { query, variables } = body;
  assert.ok(typeof query === "string" && variables !== undefined && isJsonObject(variables));
  return { query, variables };
}

test("names and values of an item are variables, however they look, and columns are JSON in a text", async () => {
  const { fetch, requests } = replay(success({ create_item: { id: ITEM } }), success({ items: [item] }));
  const hostile = 'Ada"){id}} mutation{delete_board(board_id:1){id';
  const values = { name: hostile, status: "Done", email: { email: "ada@example.com", text: "Ada" } };
  const { outcomes } = await write.write(orderWrite(BOARD, "create", { fields: values }), fetch);
  assert.deepEqual(outcomes, [{ success: true, recordId: ITEM, data: item }]);
  const { query, variables } = readParts(requests[0]?.body);
  assert.equal(
    query,
    "mutation($board:ID!,$name:String!,$columns:JSON){create_item(board_id:$board,item_name:$name,column_values:$columns){id}}",
  );
  assert.deepEqual(variables, {
    board: BOARD,
    name: hostile,
    columns: '{"status":"Done","email":{"email":"ada@example.com","text":"Ada"}}',
  });
  assert.deepEqual(readParts(requests[1]?.body).variables, { ids: [ITEM] });
});

test("a deletion is a mutation by POST to the one address of the API", async () => {
  const { fetch, requests } = replay(success({ delete_item: { id: ITEM } }));
  await write.write(orderWrite(BOARD, "delete", { id: ITEM, fields: {} }), fetch);
  assert.deepEqual(requests, [
    {
      method: "POST",
      path: "/v2",
      body: { query: "mutation($id:ID!){delete_item(item_id:$id){id}}", variables: { id: ITEM } },
      repeatable: true,
    },
  ]);
});

test("items go on by the cursor, which null ends; columns are fields by their ids", async () => {
  const { fetch, requests } = replay(page("MSw5N"), page(null));
  const first = await read.readPage(planRead(BOARD, { pageSize: 2 }), undefined, fetch);
  assert.equal(first.next?.["place"], "MSw5N");
  const values = first.records[0]?.values ?? {};
  assert.deepEqual(
    ["name", "status", "numbers", "email", "mirror"].map((name) => values[name]),
    ["Ada", "Done", "7", "", null].map((value, index) => (index === 4 ? item.column_values[3] : value)),
  );
  const second = await read.readPage(planRead(BOARD, { pageSize: 2 }), first.next, fetch);
  assert.equal(second.next, undefined);
  assert.deepEqual(
    requests.map(({ body }) => readParts(body).variables),
    [
      { boards: [BOARD], limit: 2 },
      { boards: [BOARD], limit: 2, cursor: "MSw5N" },
    ],
  );
});

/** docs/working-with-multi-level-boards: without it, "the `column_values` field returns an empty array for rollup-capable columns". */
test("values of columns that roll up are asked for, in lists and of one item", async () => {
  const { fetch, requests } = replay(page(null), success({ items: [item] }));
  await read.readPage(planRead(BOARD), undefined, fetch);
  await read.readByIds(planRead(BOARD), [ITEM], fetch);
  assert.equal(requests.length, 2);
  for (const { body } of requests)
    assert.match(readParts(body).query, /\bcolumn_values\(capabilities:\[CALCULATED\]\)\{/);
});

/**
 * changelog/value-field-now-returns-null-on-connect-boards-dependency-and-subtasks-columns (2025-04), and of 2023-10 for `text`: which items a
 * column leads to is told only by members of the type of its values.
 */
test("a column that leads to other items tells which", async () => {
  const link = { id: "link", type: "board_relation", text: null, value: null };
  const told = { ...link, display_value: "Pens", linked_item_ids: ["9876543211"] };
  const { fetch, requests } = replay(success({ items: [{ ...item, column_values: [told] }] }));
  const [record] = await read.readByIds(planRead(BOARD), [ITEM], fetch);
  assert.deepEqual(record?.values["link"], told);
  const { query } = readParts(requests[0]?.body);
  for (const [type, member] of [
    ["BoardRelationValue", "linked_item_ids"],
    ["DependencyValue", "linked_item_ids"],
    ["MirrorValue", "display_value"],
    ["SubtasksValue", "subitems_ids"],
  ] as const)
    assert.match(query, new RegExp(`\\.\\.\\.on ${type}\\{[^}]*\\b${member}\\b`));
});

/** docs/working-with-multi-level-boards, 2026-09-06: "By default, `items_page` returns only top-level items". */
test("items below others are read from a board with several levels, after those at the top, and once", async () => {
  const below = { ...item, id: "9876543211", parent_item: { id: ITEM } };
  const { fetch, requests } = replay(
    page(null, "multi_level"),
    success({ boards: [{ items_page: { cursor: null, items: [item, below] } }] }),
  );
  const top = await read.readPage(planRead(BOARD), undefined, fetch);
  const levels = await read.readPage(planRead(BOARD), top.next, fetch);
  assert.deepEqual([levels.records.map(({ id }) => id), levels.next], [["9876543211"], undefined]);
  const { query } = readParts(requests[1]?.body);
  assert.match(query, /boards\(ids:\$boards,hierarchy_types:\[multi_level\]\)/);
  assert.match(query, /items_page\([^)]*hierarchy_scope_config:"allItems"\)/);
});

/** The same page: such a status is a `BatteryValue`, "even for leaf items"; `text` of a value may be null. */
test("a status that rolls up, also one of an item with none below it, is read", async () => {
  const counts = [{ key: "1", count: 1 }];
  const status = { id: "status", type: "status", text: null, value: null, battery_value: counts };
  const { fetch, requests } = replay(success({ items: [{ ...item, column_values: [status] }] }));
  const [record] = await read.readByIds(planRead(BOARD), [ITEM], fetch);
  assert.deepEqual(record?.values["status"], counts);
  assert.match(readParts(requests[0]?.body).query, /\.\.\.on BatteryValue\{battery_value\{key count\}\}/);
});

test("the next page of boards has its number, and a size with which it begins with the last boards of the one before", async () => {
  const boards = (from: number, to: number) =>
    success({ boards: Array.from({ length: to - from + 1 }, (_, index) => ({ id: String(from + index) })) });
  const { fetch, requests } = replay(boards(1, 100), boards(98, 194));
  const first = await read.readPage(planRead("boards"), undefined, fetch);
  const second = await read.readPage(planRead("boards"), first.next, fetch);
  assert.deepEqual(
    [...first.records, ...second.records].map(({ id }) => Number(id)),
    [...Array(194).keys()].map((n) => n + 1),
  );
  assert.deepEqual(
    requests.map(({ body }) => getValueAt(body ?? null, "variables")),
    [
      { limit: 100, page: 1 },
      { limit: 97, page: 2 },
    ],
  );
});

test("an item that is not there is none of an empty list", async () => {
  const { fetch } = replay(success({ items: [] }));
  assert.deepEqual(await read.readByIds(planRead(BOARD), [ITEM], fetch), []);
});

test("refusals have the status 200, and are reported by their list of errors", async () => {
  const reported = [];
  for (const [code, message] of [
    ["UserUnauthorizedException", "User unauthorized to perform action"],
    ["ResourceNotFoundException", "Item not found"],
    ["ColumnValueException", "invalid value"],
  ] as const) {
    const { fetch } = replay(refusal(code, message));
    const order = orderWrite(BOARD, "update", { id: ITEM, fields: { status: "x" } });
    const [outcome] = (await write.write(order, fetch)).outcomes;
    reported.push(outcome?.success === false && `${outcome.error.kind}: ${outcome.error.message}`);
  }
  assert.deepEqual(reported, [
    "forbidden: User unauthorized to perform action",
    "not_found: Item not found",
    "invalid: invalid value",
  ]);
  const { fetch } = replay({
    ...refusal("COMPLEXITY_BUDGET_EXHAUSTED", "Complexity budget exhausted"),
    headers: { "retry-after": "17" },
  });
  await assert.rejects(read.readPage(planRead("users"), undefined, fetch), { kind: "rate_limited" });
});

test("the columns of a board are fields", async () => {
  const { fetch, requests } = replay(
    success({
      boards: [
        {
          columns: [
            { id: "name", title: "Name", type: "name" },
            { id: "status", title: "Stage", type: "status" },
          ],
        },
      ],
    }),
  );
  const described = await fields.describe(BOARD, fetch);
  assert.deepEqual(readParts(requests[0]?.body).variables, { boards: [BOARD] });
  assert.deepEqual(
    Object.values(described.fields).map(({ fieldName, displayName, valueType }) => [
      fieldName,
      displayName,
      valueType,
    ]),
    [
      ["name", "name", "string"],
      ["status", "Stage", "singleSelect"],
    ],
  );
});

/** GraphQL, 6.4.4 and 7.1.2 (October 2021): an error that the server did not expect says nothing of what the mutation did before. */
test("an item whose creation ends with an unexpected error may be there, an update is repeated", async () => {
  const unexpected = refusal("INTERNAL_SERVER_ERROR", "Internal server error");
  const kind = async (type: "create" | "update") => {
    const order = orderWrite(BOARD, type, {
      ...(type === "update" && { id: ITEM }),
      fields: { name: "Ada" },
    });
    const result = await write.write(order, replay(unexpected).fetch).catch((error: unknown) => error);
    if (result instanceof ProviderError) return result.kind;
    const [outcome] = (result as WriteResult).outcomes;
    return outcome?.success === false ? outcome.error.kind : "success";
  };
  assert.deepEqual([await kind("create"), await kind("update")], ["unknown_outcome", "unavailable"]);
});
