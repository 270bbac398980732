/** Shopify reports deletions as events, which its schema of the version 2026-07 has since the list of deletion events is deprecated. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { buildSchema, parse, validate } from "graphql";
import { replay } from "../../connector-kit/testing/replay.ts";
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";
import { CONNECTORS } from "../connectors.gen.ts";

const { read } = CONNECTORS["shopify"] ?? {};
assert.ok(read);

/** An excerpt of the schema of the version 2026-07 (package `@shopify/dev-mcp` 1.16.0), without descriptions. */
const schema = buildSchema(`
  schema { query: QueryRoot }
  type QueryRoot {
    events(after: String, before: String, first: Int, last: Int, query: String, reverse: Boolean = false, sortKey: EventSortKeys = ID): EventConnection!
  }
  enum EventSortKeys { CREATED_AT ID }
  enum EventSubjectType { COLLECTION CUSTOMER DRAFT_ORDER ORDER PRODUCT }
  scalar DateTime
  scalar FormattedString
  type EventConnection { nodes: [Event!]! pageInfo: PageInfo! }
  type PageInfo { endCursor: String hasNextPage: Boolean! hasPreviousPage: Boolean! startCursor: String }
  interface Event { action: String! createdAt: DateTime! id: ID! message: FormattedString! }
  type BasicEvent implements Event {
    action: String! createdAt: DateTime! id: ID! message: FormattedString! subjectId: ID! subjectType: EventSubjectType!
  }
  type CommentEvent implements Event { action: String! createdAt: DateTime! id: ID! message: FormattedString! }
`);

const DAY_MS = 86_400_000;
const TIME = `${new Date(Date.now() - 3_600_000).toISOString().slice(0, 19)}Z`;
const event = (subjectId: string, action = "destroy"): JsonObject => ({
  action,
  createdAt: TIME,
  subjectId,
});
const answer = (nodes: JsonObject[], endCursor: string | null, hasNextPage: boolean): JsonObject => ({
  data: { events: { nodes, pageInfo: { endCursor, hasNextPage } } },
});

function readBody(body: Json | undefined): { query: string; variables: JsonObject } {
  assert.ok(body !== undefined && isJsonObject(body));
  const { query, variables } = body;
  assert.ok(typeof query === "string" && variables !== undefined && isJsonObject(variables));
  return { query, variables };
}

const SUBJECTS = [
  ["customers", "CUSTOMER"],
  ["products", "PRODUCT"],
  ["collections", "COLLECTION"],
  ["draftOrders", "DRAFT_ORDER"],
  ["orders", "ORDER"],
] as const;

for (const [objectName, subject] of SUBJECTS)
  test(`Shopify: deletions of ${objectName} are events of their kind, page by page`, async () => {
    const { fetch, requests } = replay(
      {
        status: 200,
        body: answer([event("gid://shopify/X/1"), event("gid://shopify/X/2", "update")], "c1", true),
      },
      { status: 200, body: answer([], "c2", true) },
      { status: 200, body: answer([event("gid://shopify/X/3")], "c3", false) },
    );
    const since = new Date(Math.floor(Date.now() / 1000) * 1000 - DAY_MS);
    const period = { objectName, since, until: new Date() };
    const first = await read.readDeletions(period, undefined, fetch);
    const second = await read.readDeletions(period, first.next, fetch);
    const third = await read.readDeletions(period, second.next, fetch);
    assert.equal(third.next, undefined);
    assert.deepEqual(
      [first, second, third].flatMap(({ records }) => records.map(({ id }) => id)),
      ["gid://shopify/X/1", "gid://shopify/X/3"],
    );
    assert.equal(first.records[0]?.deletedTime?.getTime(), Date.parse(TIME));
    const bodies = requests.map(({ body }) => readBody(body));
    for (const { query } of bodies) assert.deepEqual(validate(schema, parse(query)), []);
    assert.ok(requests.every(({ method }) => method === "POST"));
    assert.ok(requests.every(({ path }) => path === "/admin/api/2026-07/graphql.json"));
    assert.deepEqual(
      bodies.map(({ variables }) => variables["after"]),
      [undefined, "c1", "c2"],
    );
    const filters = String(bodies[0]?.variables["query"]).split(" ");
    assert.deepEqual(filters.toSorted(), [
      "action:destroy",
      "comments:false",
      `created_at:>='${since.toISOString().slice(0, 19)}Z'`,
      `subject_type:${subject}`,
    ]);
    // "At most 250".
    assert.ok(Number(bodies[0]?.variables["first"]) <= 250 && Number(bodies[0]?.variables["first"]) >= 100);
  });

// Shopify keeps events for a year.
for (const [objectName] of SUBJECTS)
  test(`Shopify: a read of deletions of ${objectName} of more than a year says which ones are not known`, async () => {
    const { fetch, requests } = replay({ status: 200, body: answer([], null, false) });
    const since = new Date(Date.now() - 400 * DAY_MS);
    const page = await read.readDeletions({ objectName, since, until: new Date() }, undefined, fetch);
    assert.match(page.warning ?? "", new RegExp(`deletions of ${objectName} before .* are not reported`));
    const [, asked] = /'(.*)'/.exec(String(readBody(requests[0]?.body).variables["query"])) ?? [];
    assert.ok(Date.parse(asked ?? "") >= Date.now() - 365 * DAY_MS);
  });

for (const [objectName] of SUBJECTS)
  test(`Shopify: where events may not be read, deletions of ${objectName} are missing, and the read says so`, async () => {
    const error = {
      message: "Access denied for events field.",
      path: ["events"],
      extensions: { code: "ACCESS_DENIED" },
    };
    const { fetch } = replay({ status: 200, body: { errors: [error] } });
    const period = { objectName, since: new Date(Date.now() - DAY_MS), until: new Date() };
    const page = await read.readDeletions(period, undefined, fetch);
    assert.deepEqual(page.records, []);
    assert.match(page.warning ?? "", /Access denied for events field/);
  });
