/** Holds openapi.json to what a reader may expect: valid, complete, in words, with examples that fit. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { TAGS } from "../server/api/docs/reference.ts";
import { toRouterPattern } from "../server/http/address.ts";
import { withExamples } from "../server/http/openapi/openapi-examples.ts";
import { listRoutes, type RouteServices } from "../server/routes.ts";

interface Media {
  schema: Schema;
  example?: unknown;
  examples?: Record<string, { $ref?: string; value?: unknown }>;
}
interface Response {
  $ref?: string;
  description?: string;
  content?: Record<string, Media>;
}
interface Operation {
  operationId: string;
  summary?: string;
  description?: string;
  tags: string[];
  security?: Record<string, string[]>[];
  parameters: { name: string; description?: string; schema: Schema; example?: unknown }[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, Response>;
}
interface Schema {
  $ref?: string;
  description?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  allOf?: Schema[];
  additionalProperties?: Schema | boolean;
}
interface Document {
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, Schema>;
    responses: Record<string, Response>;
  };
}

const ROOT = join(import.meta.dirname, "..");
const text = readFileSync(join(ROOT, "openapi.json"), "utf8");
const examples = readFileSync(join(ROOT, "server/api/docs/examples.json"), "utf8");
/** Document as /docs shows it. */
const document: Document & { components: { examples: Record<string, { value: unknown }> } } = withExamples(
  JSON.parse(text) as Document,
  JSON.parse(examples),
);
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.values(methods).map((operation) => ({ path, operation })),
);
const findResponse = ({ $ref, ...own }: Response): Response =>
  $ref ? { ...document.components.responses[$ref.split("/").at(-1) ?? ""], ...own } : own;

const ajv = new Ajv2020({ strict: false, allErrors: true });
// Both module forms of the package exist; the one that is loaded depends on the bundler, not on us.
(addFormats as unknown as { default: typeof addFormats.default }).default(ajv);
ajv.addSchema({ $id: "openapi", components: document.components });

/** Why the value does not fit, or nothing. */
function misfit(schema: Schema, value: unknown): string[] {
  const pointed: object = JSON.parse(
    JSON.stringify(schema).replaceAll('"#/components', '"openapi#/components'),
  );
  const check = ajv.compile(pointed);
  return check(value) ? [] : [ajv.errorsText(check.errors)];
}

describe("openapi.json", () => {
  test("is valid OpenAPI 3.1, with and without examples", async () => {
    for (const one of [JSON.parse(text), structuredClone(document)]) {
      const { valid, errors } = await new Validator().validate(one);
      assert.ok(valid, JSON.stringify(errors));
    }
  });

  test("a verb of a path is a word of its own, so that no other one leads there", () => {
    const withVerb = listRoutes({} as RouteServices).filter(({ path }) => /:[A-Za-z-]+$/.test(path));
    assert.ok(withVerb.length > 10);
    for (const { path } of withVerb) assert.match(toRouterPattern(path), /\/::[A-Za-z-]+$/, path);
  });

  test("says of each operation what it does, who may call it, and in which group it is, under a name of its own", () => {
    const faults = operations.flatMap(({ operation }) => {
      const { operationId, summary, security, tags } = operation;
      const complete = summary && security && tags.every((tag) => Object.hasOwn(TAGS, tag));
      return complete ? [] : [operationId];
    });
    assert.deepEqual(faults, []);
    // In the document, who may call is added to each; what it does, only its own file can say.
    const silent = listRoutes({} as RouteServices).filter(({ endpoint }) => !endpoint.description);
    assert.deepEqual(
      silent.map(({ endpoint }) => endpoint.operationId),
      [],
    );
    const names = operations.map(({ operation }) => operation.operationId);
    assert.deepEqual(
      names.filter((name, index) => names.indexOf(name) !== index),
      [],
    );
    const webhooks = Object.values(document.webhooks).flatMap((methods) => Object.values(methods));
    const used = new Set(
      [...operations.map(({ operation }) => operation), ...webhooks].flatMap(({ tags }) => tags),
    );
    assert.deepEqual(
      Object.keys(TAGS).filter((tag) => !used.has(tag)),
      [],
    );
  });

  test("describes every parameter, every shape and every member", () => {
    const faults: string[] = [];
    const visit = (schema: Schema, place: string): void => {
      for (const [name, member] of Object.entries(schema.properties ?? {})) {
        if (!member.description) faults.push(`${place}.${name}`);
        visit(member, `${place}.${name}`);
      }
      for (const part of [...(schema.anyOf ?? []), ...(schema.allOf ?? [])]) visit(part, place);
      if (schema.items) visit(schema.items, `${place}[]`);
      if (typeof schema.additionalProperties === "object") visit(schema.additionalProperties, `${place}{}`);
    };
    for (const [name, shape] of Object.entries(document.components.schemas)) {
      if (!shape.description) faults.push(name);
      visit(shape, name);
    }
    for (const { operation } of operations) {
      const { operationId, parameters } = operation;
      faults.push(
        ...parameters.filter((one) => !one.description).map(({ name }) => `${operationId} ${name}`),
      );
    }
    assert.deepEqual(faults, [], "give each a `description` in its schema");
  });

  test("says of each operation how it refuses, with a Problem and an example", () => {
    for (const { operation } of operations) {
      const refusals = Object.entries(operation.responses).filter(([status]) => /^[45]/.test(status));
      assert.ok(refusals.length >= 3, operation.operationId);
      for (const [status, given] of [
        ...refusals,
        ["default", operation.responses["default"] ?? {}] as const,
      ]) {
        const { description, content } = findResponse(given);
        const problem = content?.["application/problem+json"];
        assert.ok(description && problem, `${operation.operationId} ${status}`);
        if (status !== "default") assert.ok(problem.examples, `${operation.operationId} ${status}`);
      }
    }
  });

  /** What needs no example: no JSON, or nothing that anybody gets. */
  const WITHOUT_ANSWER = new Set([
    "createBillingAccountSession",
    "getBackfillProgress",
    "getOpenApi",
    "getOrgBillingAccount",
    "searchRecords",
    "triggerRead",
  ]);

  test("has examples of every request and every answer, and each fits its schema", () => {
    const faults: string[] = [];
    const visit = (place: string, media: Media | undefined): void => {
      if (!media) return;
      const named = Object.values(media.examples ?? {}).map(({ value }) => value);
      const shown = media.example === undefined ? named : [media.example];
      if (shown.length === 0) faults.push(`${place}: no example`);
      for (const one of shown) faults.push(...misfit(media.schema, one).map((why) => `${place}: ${why}`));
    };
    for (const { operation } of operations) {
      const { operationId, requestBody, responses } = operation;
      visit(`${operationId} request`, requestBody?.content["application/json"]);
      const [, answer] = Object.entries(responses).find(([status]) => /^[23]/.test(status)) ?? [];
      if (!WITHOUT_ANSWER.has(operationId))
        visit(`${operationId} answer`, answer?.content?.["application/json"]);
    }
    assert.deepEqual(
      faults,
      [],
      "call the operation in <resource>.examples.ts beside it, then: npm run examples",
    );
    for (const [name, { value }] of Object.entries(document.components.examples)) {
      assert.deepEqual(misfit({ $ref: "#/components/schemas/Problem" }, value), [], name);
    }
  });
});
