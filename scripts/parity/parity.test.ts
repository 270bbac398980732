/** The comparison of two API descriptions, on small made-up documents. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { compare } from "./compare.ts";
import { readDocument, type Schema } from "./document.ts";
import { explain, readExplanations } from "./explain.ts";
import { report } from "./report.ts";

/** One operation; what is given goes over a plain GET. */
const document = (operation: Schema = {}, more: Schema = {}) =>
  readDocument({
    openapi: "3.1.0",
    paths: { "/things/{id}": { get: { responses: { 200: { description: "" } }, ...operation } } },
    ...more,
  });
const answering = (schema: Schema, media = "application/json") =>
  document({ responses: { 200: { content: { [media]: { schema } } } } });
const taking = (schema: Schema) => document({ requestBody: { content: { "application/json": { schema } } } });
const object = (properties: Schema, required: string[] = []): Schema => ({
  type: "object",
  properties,
  required,
});
const text = { type: "string" };

/** What differs, without the operation's name. */
const between = (ours: ReturnType<typeof document>, theirs: ReturnType<typeof document>) =>
  compare(ours, theirs).map((line) => line.replace("GET /things/{} | ", ""));

describe("the comparison", () => {
  test("finds nothing between a document and itself, however it is written", () => {
    const schema = object({ id: text, tags: { type: "array", items: text } }, ["id"]);
    const named = readDocument({
      paths: {
        "/things/{thingId}": {
          get: {
            responses: { 200: { content: { "application/json": { schema: { $ref: "#/parts/Thing" } } } } },
          },
        },
      },
      parts: {
        Thing: { allOf: [object({ id: text }, ["id"]), object({ tags: { type: "array", items: text } })] },
      },
    });
    assert.deepEqual(between(answering(schema), named), []);
  });

  test("names operations that one side does not have", () => {
    const other = readDocument({ paths: { "/other": { post: { responses: {} } } } });
    assert.deepEqual(compare(document(), other), [
      "POST /other | operation | missing",
      "GET /things/{} | operation | ours only",
    ]);
  });

  test("reads the address of a data surface into the path", () => {
    const servers = [{ url: "https://write.example.com/v1" }];
    assert.ok(document({}, { servers }).operations.has("GET /write/v1/things/{}"));
    assert.ok(
      document({}, { servers: [{ url: "https://api.example.com/v1" }] }).operations.has("GET /v1/things/{}"),
    );
  });

  test("names parameters, whatever the case of a header's name and the name of one in the path", () => {
    const parameters = (...all: [string, string, object?][]) =>
      document({
        parameters: all.map(([place, name, more]) => ({ in: place, name, schema: text, ...more })),
      });
    const ours = parameters(
      ["path", "id"],
      ["header", "x-one"],
      ["query", "own"],
      ["query", "both", { required: true }],
    );
    const theirs = parameters(["path", "thing"], ["header", "X-One"], ["query", "lost"], ["query", "both"]);
    assert.deepEqual(between(ours, theirs), [
      "query lost | missing",
      "query both | required here",
      "query own | ours only",
    ]);
  });

  test("weighs what is required by its direction", () => {
    const more = object({ id: text }, ["id"]);
    const less = object({ id: text });
    assert.deepEqual(between(taking(more), taking(less)), ["body id | required here"]);
    assert.deepEqual(between(taking(less), taking(more)), ["body id | optional here"]);
    assert.deepEqual(between(answering(less), answering(more)), ["answer 200 id | not always there"]);
    assert.deepEqual(between(answering(more), answering(less)), []);
  });

  test("compares lists of values, a single one among them, and types", () => {
    const values = (...all: string[]) => answering({ type: "string", enum: all });
    assert.deepEqual(between(values("a", "b"), values("b", "c")), [
      "answer 200 | without c",
      "answer 200 | also a",
    ]);
    assert.deepEqual(between(answering({ type: "string", const: "a" }), values("a")), []);
    assert.deepEqual(between(answering(text), values("a")), ["answer 200 | any text, not only a"]);
    assert.deepEqual(between(answering({ type: "integer" }), answering(text)), [
      "answer 200 | string is number here",
    ]);
    assert.deepEqual(between(answering({ type: "integer" }), answering({ type: "number" })), []);
    const nullable = answering({ type: "string", nullable: true });
    assert.deepEqual(between(answering({ type: ["string", "null"] }), nullable), []);
  });

  test("tells a missing member once, not each of its own members, and knows who takes any member", () => {
    const inner = object({ a: text, b: text });
    assert.deepEqual(between(answering(object({ x: text })), answering(object({ x: text, inner }))), [
      "answer 200 inner | missing",
    ]);
    const anything = object({ x: { type: "object", additionalProperties: true } });
    assert.deepEqual(between(answering(anything), answering(object({ x: object({ a: text }) }))), [
      "answer 200 x.a | not named by ours",
    ]);
  });

  test("takes a member of one alternative as one that may be there", () => {
    const either = { anyOf: [object({ id: text, a: text }, ["id", "a"]), object({ id: text }, ["id"])] };
    assert.deepEqual(between(answering(either), answering(object({ id: text, a: text }, ["id", "a"]))), [
      "answer 200 a | not always there",
    ]);
  });

  test("ends with shapes that contain themselves", () => {
    const schema = { $ref: "#/tree" };
    const tree = (extra: Schema) => object({ child: { $ref: "#/tree" }, ...extra });
    const recursive = (extra: Schema) =>
      document(
        { responses: { 200: { content: { "application/json": { schema } } } } },
        { tree: tree(extra) },
      );
    assert.ok(between(recursive({}), recursive({ name: text })).includes("answer 200 name | missing"));
  });

  test("names statuses and media types, and what all refusals have in common once", () => {
    const refusing = (...statuses: string[]) =>
      document({
        responses: Object.fromEntries(
          statuses.map((status) => [
            status,
            { content: { "application/json": { schema: object({ [`m${statuses.length}`]: text }) } } },
          ]),
        ),
      });
    const lines = compare(refusing("400", "404"), refusing("400", "404", "409"));
    assert.deepEqual(lines, [
      "refusals | body m3 | missing",
      "refusals | body m2 | ours only",
      "GET /things/{} | status 409 | missing",
    ]);
    const media = between(answering(text, "text/plain"), answering(text));
    assert.deepEqual(media, ["answer 200 | application/json is text/plain here"]);
  });

  test("refuses what is no such document, and references that lead nowhere", () => {
    assert.throws(() => readDocument({ hello: "world" }), /no OpenAPI document/);
    assert.throws(() => document({ responses: { 200: { $ref: "#/nowhere" } } }), /#\/nowhere leads nowhere/);
  });
});

describe("the explanations", () => {
  const differences = ["GET /a | query x | missing", "GET /b | answer 200 y | ours only"];

  test("cover what they name; the rest stays unexplained", () => {
    const verdict = explain(differences, [{ lines: ["GET /a | *"], why: "because" }]);
    assert.deepEqual(verdict.unexplained, [differences[1]]);
    assert.deepEqual(verdict.stale, []);
    assert.match(report(verdict, { ours: 2, theirs: 2 }), /NOT EXPLAINED\n  GET \/b/);
  });

  test("that fit nothing any more are stale, also beside a line that does", () => {
    const verdict = explain(differences, [
      { lines: ["GET /?*", "POST *", "GET /a* | missing.*"], why: "because" },
    ]);
    assert.deepEqual(verdict.unexplained, []);
    assert.deepEqual(verdict.stale, ["POST *", "GET /a* | missing.*"]);
  });

  test("are read from the page: the reason of an item and its patterns", () => {
    const page = "Text with `code`.\n\n* **So it is.** `GET /a | *`, `GET /b`\n* `GET /c` without a reason\n";
    assert.deepEqual(readExplanations(page), [{ why: "So it is", lines: ["GET /a | *", "GET /b"] }]);
  });
});
