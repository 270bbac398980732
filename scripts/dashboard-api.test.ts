/** The types of the dashboard's calls follow the OpenAPI document. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { buildDashboardApi, printType, type Schema } from "./dashboard-api.ts";

const TYPES: [string, Schema, string][] = [
  ["a reference", { $ref: "#/components/schemas/Topic" }, 'Schemas["Topic"]'],
  ["an enumeration", { type: "string", enum: ["a", "b"] }, '"a" | "b"'],
  [
    "a list of alternatives",
    { type: "array", items: { anyOf: [{ type: "string" }, { type: "number" }] } },
    "readonly (string | number)[]",
  ],
  [
    "an object with an optional and a quoted member",
    { type: "object", required: ["id"], properties: { id: { type: "string" }, "x-y": { type: "boolean" } } },
    '{ id: string; "x-y"?: boolean }',
  ],
  ["a map", { type: "object", additionalProperties: { type: "integer" } }, "Record<string, number>"],
  ["a schema without a type", {}, "unknown"],
];
for (const [title, schema, type] of TYPES)
  test(`${title} becomes its TypeScript type`, () => assert.equal(printType(schema), type));

test("an operation has its parameters and body as input, all its success answers, and its address", () => {
  const text = buildDashboardApi({
    paths: {
      "/v1/things/{id}": {
        put: {
          operationId: "putThing",
          parameters: [
            { name: "id", in: "path", required: true, schema: { type: "string" } },
            { name: "dryRun", in: "query", schema: { type: "boolean" } },
            { name: "Idempotency-Key", in: "header", schema: { type: "string" } },
          ],
          requestBody: { required: true, content: { "application/json": { schema: { type: "object" } } } },
          responses: {
            200: { content: { "application/json": { schema: { type: "string" } } } },
            204: {},
            400: { content: { "application/problem+json": {} } },
          },
        },
      },
      "/docs": { get: { operationId: "getDocs", responses: { 200: { content: { "text/html": {} } } } } },
    },
    components: { schemas: {} },
  });
  assert.match(
    text,
    /putThing: \{ input: \{ id: string; dryRun\?: boolean; body: Record<string, unknown> \}; answer: string \| undefined \};/,
  );
  assert.match(text, /putThing: "PUT \/v1\/things\/\{id\}",/);
  assert.doesNotMatch(text, /getDocs/);
});
