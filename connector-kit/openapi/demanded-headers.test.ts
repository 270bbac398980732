/** What a vendor demands of each request, in headers and in members that are composed of others, is named before it refuses. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Description } from "../declarative/rules/description.ts";
import { compareDescription } from "./compare-description.ts";
import { readOpenapi } from "./openapi-operations.ts";

/** PagerDuty's document has both: incidents are written in the name of the user in `From`, and a user is composed of two schemas. */
const DOCUMENT = readOpenapi({
  openapi: "3.0.2",
  info: { title: "Pager", version: "2" },
  components: {
    parameters: {
      from: { name: "From", in: "header", required: true, schema: { type: "string" } },
      accept: { name: "Accept", in: "header", required: true, schema: { type: "string" } },
      key: { name: "X-Api-Key", in: "header", required: true, schema: { type: "string" } },
    },
    schemas: {
      Tag: { type: "object", properties: { id: { type: "string" } } },
      User: {
        allOf: [
          { $ref: "#/components/schemas/Tag" },
          { type: "object", required: ["email"], properties: { email: { type: "string" } } },
        ],
      },
    },
  },
  paths: {
    "/users/{id}": {
      put: {
        parameters: ["from", "accept", "key"].map((name) => ({ $ref: `#/components/parameters/${name}` })),
        requestBody: {
          content: {
            "application/json": {
              schema: {
                type: "object",
                properties: { user: { allOf: [{ $ref: "#/components/schemas/User" }] } },
              },
            },
          },
        },
        responses: { 200: { description: "done" } },
      },
    },
  },
});

const describeUsers = (headers?: Record<string, string>): Description => ({
  defaults: {},
  objects: {
    users: {
      modes: ["update"],
      update: { method: "PUT", path: "/users/{id}", wrap: { in: "user" }, ...(headers && { headers }) },
    },
  },
  errors: { message: ["error.message"] },
  sources: { documentation: "https://docs.pager.example", checked: "2026-11-29, tests" },
});

test("a header that the vendor demands is named, unless the request or the provider sends it", () => {
  const { differences } = compareDescription(describeUsers(), DOCUMENT, ["x-api-key"]);
  assert.deepEqual(differences, [
    { path: "connector.objects.users.update.headers", message: "the vendor demands the header From" },
  ]);
  const whole = compareDescription(describeUsers({ from: "{connection.email}" }), DOCUMENT, ["X-Api-Key"]);
  assert.deepEqual(whole.differences, []);
});

test("a member that is demanded two schemas below is named, too", () => {
  const { warnings } = compareDescription(describeUsers(), DOCUMENT);
  assert.match(warnings.map(({ message }) => message).join(), /demands email in each update/);
});
