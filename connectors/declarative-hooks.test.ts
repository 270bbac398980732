/** A made-up provider that needs every hook stands any answer; and what its answers mean, word by word. */
import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { test } from "node:test";
import type { RecordWrite, WriteResult } from "../connector-kit/connector.ts";
import { checkDescription } from "../connector-kit/declarative/check/check-description.ts";
import { describeConnector } from "../connector-kit/declarative/describe-connector.ts";
import type { Description } from "../connector-kit/declarative/rules/description.ts";
import type { Checkpoint } from "../connector-kit/read-connector.ts";
import { orderWrite, planRead } from "../connector-kit/testing/order-fixture.ts";
import { replay, type Reply } from "../connector-kit/testing/replay.ts";
import type { Json, JsonObject } from "../ground/json.ts";
import { testAnswers } from "../tests/harness/declarative-suite.ts";

const description: Description = {
  defaults: {
    list: { path: "/v1/{path}", pageSize: { to: "query.limit", most: 100 } },
    records: "items",
    paging: { cursor: { from: "next", to: "query.after" } },
    create: { method: "POST", path: "/v1/{path}" },
    update: { method: "PATCH", path: "/v1/{path}/{id}" },
    delete: { method: "DELETE", path: "/v1/{path}/{id}" },
    get: { path: "/v1/{path}/{id}" },
  },
  objects: {
    people: {
      update: {
        method: "PATCH",
        path: "/v1/{path}/{id}",
        readBefore: { from: "etag", to: "body.etag" },
        fieldMask: { to: "query.updateFields" },
      },
      example: { name: "Ada" },
    },
    members: {
      upsert: { method: "PUT", path: "/v1/{path}/{value}", keys: ["email"], keyHash: "md5" },
      batch: {
        upsert: {
          method: "POST",
          path: "/v1/{path}/many",
          most: 5,
          to: "members",
          answers: "new",
          furtherAnswers: ["changed"],
          ref: { of: "email", from: "email" },
          refused: [{ at: "errors" }],
          message: ["error"],
          code: "error_code",
        },
      },
      example: { name: "Ada" },
    },
    orders: {
      create: { method: "POST", path: "/v1/{path}", wrap: { listAt: "data" } },
      update: { method: "PATCH", path: "/v1/{path}/{id}", wrap: { listAt: "data" } },
      record: "data.0",
      written: { okWhen: "data.0.state=added|changed", message: ["data.0.why"], code: "data.0.code" },
      batch: {
        create: {
          method: "POST",
          path: "/v1/{path}/many",
          most: 5,
          to: "data",
          answers: "data",
          okWhen: "state=added|changed",
          message: ["why"],
        },
      },
      example: { name: "Pen" },
    },
    users: {
      modes: ["read"],
      upsert: { method: "POST", path: "/v1/{path}/put", keys: ["email"] },
      batch: {
        upsert: {
          method: "POST",
          path: "/v1/{path}/bulk",
          most: 5,
          to: "users",
          ref: { of: "email", from: "" },
          refused: [
            { at: "invalid", reason: "the mail address is not valid" },
            { at: "failed.conflict", from: "mail", reason: "the user is another one" },
          ],
        },
      },
      example: { email: "ada@example.com" },
    },
    flows: {
      modes: ["read"],
      parent: { object: "users", by: "email", to: "owner" },
      list: { path: "/v1/flows", query: { owner: "{parent}" }, pageSize: { to: "query.limit", most: 100 } },
      changedPath: "changed",
      example: { name: "Welcome" },
    },
    lines: {
      parent: { object: "orders" },
      list: { path: "/v1/orders/{parent}/lines", pageSize: { to: "query.limit", most: 100 } },
      create: { method: "POST", path: "/v1/orders/{field.order_id}/lines" },
      example: { order_id: "7/8", name: "Ink" },
    },
    steps: {
      modes: ["read"],
      parent: { object: "lines" },
      list: { path: "/v1/lines/{parent}/steps" },
      paging: { none: true },
    },
  },
  errors: { message: ["error"], code: "code", codes: { TWICE: "conflict", SLOW: "rate_limited" } },
  sources: { documentation: "https://docs.quill.example", checked: "2026-11-23, made up" },
};
const connector = describeConnector("Quill", description);

testAnswers("Quill", description, connector);

async function written(write: RecordWrite, ...replies: Reply[]) {
  const provider = replay(...replies);
  const result = await connector.write?.write(write, provider.fetch);
  assert.ok(result);
  return { result, requests: provider.requests };
}
const reported = ({ outcomes }: WriteResult): string[] =>
  outcomes.map((outcome) =>
    outcome.success ? `written ${outcome.recordId}` : `${outcome.error.kind}: ${outcome.error.message}`,
  );
const batch = (
  objectName: string,
  type: RecordWrite["type"],
  all: JsonObject[],
  key?: string,
): RecordWrite => ({
  ...orderWrite(objectName, type, { fields: {} }),
  batch: true,
  records: all.map((fields) => ({ fields })),
  ...(key !== undefined && { key }),
});

test("an update names the members that it has, and repeats the version of the record", async () => {
  const { requests } = await written(
    orderWrite("people", "update", { id: "7", fields: { names: [{ givenName: "Ada" }], phones: null } }),
    { status: 200, body: { id: "7", etag: "%E1" } },
    { status: 200, body: { id: "7", etag: "%E2" } },
  );
  assert.equal(requests[1]?.path, "/v1/people/7?updateFields=names%2Cphones");
  assert.deepEqual(requests[1]?.body, { names: [{ givenName: "Ada" }], phones: null, etag: "%E1" });
});

test("a record is named by the hash of its key in lower case, and the key stays in the body", async () => {
  const fields = { email: "Ada@Example.com", name: "Ada" };
  const { result, requests } = await written(
    { ...orderWrite("members", "upsert", { fields }), key: "email" },
    { status: 200, body: { id: "9a6b", email: "ada@example.com" } },
  );
  assert.equal(requests[0]?.path, `/v1/members/${hash("md5", "ada@example.com")}`);
  assert.deepEqual(requests[0]?.body, fields);
  assert.deepEqual(reported(result), ["written 9a6b"]);
});

test("a success with the refusal of a record is a refusal, of the kind of its code", async () => {
  const create = orderWrite("orders", "create", { fields: { name: "Pen" } });
  const answer = (record: JsonObject): Reply => ({ status: 200, body: { data: [record] } });
  const added = await written(create, answer({ state: "added", id: "5" }));
  assert.deepEqual(reported(added.result), ["written 5"]);
  const twice = await written(create, answer({ state: "skipped", why: "is there already", code: "TWICE" }));
  assert.deepEqual(reported(twice.result), ["conflict: is there already"]);
  await assert.rejects(written(create, answer({ state: "skipped", why: "wait", code: "SLOW" })), {
    kind: "rate_limited",
  });
});

test("results in several lists are found by a field of the record; refusals have a list of their own", async () => {
  const people = ["Ada", "Bob", "Cleo", "Dan"].map((name) => ({ email: `${name}@example.com` }));
  const body: Json = {
    new: [{ id: "3", email: "cleo@example.com" }],
    changed: [{ id: "1", email: "ada@example.com" }],
    errors: [{ email: "bob@example.com", error: "Bob is fake", error_code: "FAKE" }],
  };
  const { result } = await written(batch("members", "upsert", people, "email"), { status: 200, body });
  assert.deepEqual(reported(result).slice(0, 3), ["written 1", "invalid: Bob is fake", "written 3"]);
  const [, , , dan] = result.outcomes;
  assert.equal(dan?.success === false && dan.error.kind, "unknown_outcome");
});

test("where only refused records are named, the others were written", async () => {
  const people = ["Ada", "Bob", "Cleo"].map((name) => ({ email: `${name}@example.com` }));
  const body: Json = { invalid: ["bob@example.com"], failed: { conflict: [{ mail: "CLEO@example.com" }] } };
  const { result } = await written(batch("users", "upsert", people, "email"), { status: 200, body });
  assert.deepEqual(reported(result), [
    "written undefined",
    "invalid: the mail address is not valid",
    "invalid: the user is another one",
  ]);
});

const page = (items: Json[], next?: string): Reply => ({
  status: 200,
  body: { items, ...(next !== undefined && { next }) },
});

test("the lists of all parents are read, over their pages, from a checkpoint that is stored after each page", async () => {
  const { fetch, requests } = replay(
    page(
      [
        { id: "u1", email: "a+b@x.example" },
        { id: "u2", email: "c@x.example" },
      ],
      "more users",
    ),
    page([{ id: "f1" }], "more flows"),
    page([{ id: "f2" }]),
    // Deleted meanwhile.
    { status: 404, body: { error: "there is no such user" } },
    page([{ id: "u3", email: "d@x.example" }]),
    page([]),
  );
  const { read } = connector;
  assert.ok(read);
  const plan = planRead("flows");
  const found: [string, Json | undefined][] = [];
  let checkpoint: Checkpoint | undefined;
  do {
    const { records, next } = await read.readPage(plan, checkpoint, fetch);
    found.push(...records.map(({ id, values }): [string, Json | undefined] => [id, values["owner"]]));
    checkpoint = next && JSON.parse(JSON.stringify(next));
  } while (checkpoint);
  assert.deepEqual(found, [
    ["f1", "a+b@x.example"],
    ["f2", "a+b@x.example"],
  ]);
  assert.deepEqual(
    requests.map(({ path }) => path.replace("limit=100", "limit=…")),
    [
      "/v1/users?limit=50",
      "/v1/flows?owner=a%2Bb%40x.example&limit=…",
      "/v1/flows?owner=a%2Bb%40x.example&limit=…&after=more%20flows",
      "/v1/flows?owner=c%40x.example&limit=…",
      "/v1/users?limit=50&after=more%20users",
      "/v1/flows?owner=d%40x.example&limit=…",
    ],
  );
});

test("a field in the path of a create leaves the body, and cannot change the path", async () => {
  const create = (fields: JsonObject) =>
    written(orderWrite("lines", "create", { fields }), { status: 201, body: { id: "5" } });
  const { requests } = await create({ order_id: "a/b", name: "Ink" });
  assert.equal(requests[0]?.path, "/v1/orders/a%2Fb/lines");
  assert.deepEqual(requests[0]?.body, { name: "Ink" });
  for (const order_id of [undefined, "", "..", null, { id: 7 }]) {
    const { result, requests: sent } = await create({
      name: "Ink",
      ...(order_id !== undefined && { order_id }),
    });
    assert.equal(sent.length, 0);
    assert.match(reported(result).join(), /^invalid: order_id must have a value/);
  }
});

test("hooks that cannot work are refused with their place", () => {
  const { members, people, orders, users } = description.objects;
  const upsert = users?.batch?.upsert;
  assert.ok(members?.upsert && people?.update && upsert);
  const { ref: _, ...unreferred } = upsert;
  const broken: [objects: Description["objects"], place: string, message: RegExp][] = [
    [
      { members: { ...members, upsert: { ...members.upsert, path: "/v1/put" } } },
      "members.upsert.keyHash",
      /needs/,
    ],
    [{ orders: { ...orders, written: { okWhen: "ok" } } }, "orders.written.okWhen", /path=value/],
    [
      { people: { ...people, update: { ...people.update, fieldMask: { to: "mask" } } } },
      "people.update.fieldMask.to",
      /query\.<name>/,
    ],
    [{ users: { ...users, batch: { upsert: unreferred } } }, "users.batch.upsert.refused", /needs ref/],
    [
      { users: { ...users, batch: { upsert: { ...upsert, ref: { of: "email", to: "ref", from: "" } } } } },
      "users.batch.upsert.ref",
      /either to or of/,
    ],
    [
      { users: { ...users, batch: { upsert: { ...upsert, furtherAnswers: ["more"] } } } },
      "users.batch.upsert.furtherAnswers",
      /needs answers/,
    ],
    [
      { orders: { ...orders, create: { method: "POST", path: "/o", idempotencyKeyMinutes: 5 } } },
      "orders.create.idempotencyKeyMinutes",
      /needs idempotencyKeyTo/,
    ],
  ];
  const { lines, flows, steps } = description.objects;
  assert.ok(lines && flows && steps && users);
  const unread = { ...users, modes: ["create" as const], create: { method: "POST" as const, path: "/u" } };
  broken.push(
    [{ flows }, "flows.parent.object", /names no object: "users"/],
    [{ flows, users: unread }, "flows.parent.object", /cannot be read/],
    [{ lines: { ...lines, parent: { object: "lines" } } }, "lines.parent.object", /one below the other/],
    [{ users, flows: { ...flows, list: { path: "/v1/flows" } } }, "flows.list", /no \{parent\}/],
    [{ flows: { modes: ["read"], list: { path: "/v1/{parent}" } } }, "flows.list", /no parent/],
    [{ users, flows: { ...flows, total: "n" } }, "flows.total", /many/],
  );
  for (const [objects, place, message] of broken) {
    const [fault, ...more] = checkDescription({ ...description, objects }).faults;
    assert.deepEqual([fault?.path, more], [`connector.objects.${place}`, []]);
    assert.match(fault?.message ?? "", message);
  }
});
