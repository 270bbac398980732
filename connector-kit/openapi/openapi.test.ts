/** A vendor's OpenAPI document says where a description or a fact is wrong. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Description } from "../declarative/rules/description.ts";
import type { Facts } from "../facts/facts.ts";
import { compareDescription } from "./compare-description.ts";
import { describeDrift, proposeFacts, updateFacts } from "./openapi-facts.ts";
import { readOpenapi } from "./openapi-operations.ts";

const PEN = {
  type: "object",
  properties: { id: { type: "integer" }, name: { type: "string" }, changed_at: { type: "string" } },
};
const DOCUMENT = readOpenapi({
  openapi: "3.1.0",
  info: { title: "Quill", version: "7" },
  servers: [{ url: "https://api.quill.test/v3" }],
  components: {
    schemas: { Pen: PEN },
    parameters: { limit: { name: "limit", in: "query", schema: { type: "integer", maximum: 50 } } },
  },
  paths: {
    "/pens": {
      get: {
        parameters: [
          { $ref: "#/components/parameters/limit" },
          { name: "after", in: "query", schema: { type: "string" } },
          { name: "state", in: "query", required: true, schema: { type: "string", enum: ["all", "open"] } },
          { name: "since", in: "query", schema: { type: "integer" } },
        ],
        responses: {
          200: {
            content: {
              "application/json": {
                schema: {
                  allOf: [
                    {
                      type: "object",
                      properties: {
                        pens: { type: "array", items: { $ref: "#/components/schemas/Pen" } },
                        next: { type: "string" },
                      },
                    },
                  ],
                },
              },
            },
          },
        },
      },
      post: {
        requestBody: {
          content: {
            "application/json": {
              schema: {
                type: "object",
                required: ["pen"],
                properties: {
                  pen: {
                    type: "object",
                    required: ["name"],
                    properties: {
                      name: { type: "string" },
                      nib: { type: "string", enum: ["fine", "broad"] },
                    },
                  },
                },
              },
            },
          },
        },
        responses: {
          201: {
            content: {
              "application/json": {
                schema: { type: "object", properties: { pen: { $ref: "#/components/schemas/Pen" } } },
              },
            },
          },
        },
      },
    },
    "/pens/{pen_id}": { patch: { responses: { 204: {} } }, get: { responses: { 200: {} } } },
  },
});

const right: Description = {
  defaults: {
    list: { path: "/v3/{path}", query: { state: "all" }, pageSize: { to: "query.limit", most: 50 } },
    records: "pens",
    paging: { cursor: { from: "next", to: "query.after" } },
    changedPath: "changed_at",
    since: { to: "query.since", format: "unix" },
    create: { method: "POST", path: "/v3/{path}", wrap: { in: "pen" } },
    get: { path: "/v3/{path}/{id}" },
    record: "pen",
  },
  objects: { pens: { modes: ["read", "create"], example: { name: "Ada" } } },
  errors: { message: ["error"] },
  sources: { documentation: "https://quill.test", checked: "2026-11-26, invented" },
};

const differences = (change: Partial<Description["defaults"]>): string[] =>
  compareDescription({ ...right, defaults: { ...right.defaults, ...change } }, DOCUMENT).differences.map(
    ({ path, message }) => `${path}: ${message}`,
  );

test("a description that agrees with the vendor's document has no difference", () => {
  assert.deepEqual(compareDescription(right, DOCUMENT), {
    differences: [],
    warnings: [],
    compared: 3,
    absent: 0,
  });
});

test("each difference from the vendor's document is named with its place and the remedy", () => {
  const list = right.defaults.list ?? { path: "" };
  const cases: [Partial<Description["defaults"]>, RegExp][] = [
    [
      { list: { ...list, path: "/v3/penz" } },
      /^connector\.defaults\.list\.path: the vendor has no \/v3\/penz; there is \/v3\/pens/,
    ],
    [
      { list: { ...list, method: "POST", path: "/v3/pens/{id}" } },
      /list\.method: the vendor has GET, PATCH at/,
    ],
    [
      { list: { ...list, query: { state: "every" } } },
      /list\.query\.state: the vendor does not know the value every of state; it knows all, open/,
    ],
    [{ list: { path: "/v3/{path}" } }, /list\.query: the vendor demands the parameter state/],
    [
      { list: { ...list, pageSize: { to: "query.limit", most: 100 } } },
      /pageSize\.most: the vendor gives 50 records at most, and not 100/,
    ],
    [
      { list: { ...list, pageSize: { to: "query.limits", most: 50 } } },
      /pageSize\.to: the vendor's list has no parameter limits; there is limit/,
    ],
    [{ records: "data" }, /records: the vendor's answer has no list at data; there is one at pens/],
    [
      { paging: { cursor: { from: "nexd", to: "query.after" } } },
      /cursor\.from: the vendor's answer has no nexd; there is next/,
    ],
    [
      { changedPath: "changed_on" },
      /changedPath: the vendor's answer has no changed_on; there is changed_at/,
    ],
    [{ since: { to: "query.since" } }, /since\.format: the vendor takes integer at since, and not rfc3339/],
    [
      { create: { method: "POST", path: "/v3/{path}", wrap: { in: "pens" } } },
      /create\.wrap: the vendor's body has no pens; it has pen/,
    ],
    [
      { create: { method: "POST", path: "/v3/{path}", wrap: { in: "pen", form: true } } },
      /create\.wrap\.form: the vendor takes json/,
    ],
    [{ record: "pan" }, /record: the vendor's answer has no pan; there is pen/],
  ];
  for (const [change, expected] of cases) assert.match(differences(change).join("\n"), expected);
});

/** The words are those of OnePageCRM (OnePageCRM/swagger, 2026-08-20), of Front (frontapp/front-api-specs, 2026-08-11) and of SendGrid (2026-01-22). */
const updating = (description: string, properties: object, required: string[] = []) =>
  readOpenapi({
    openapi: "3.0.3",
    info: { title: "Quill", version: "9" },
    components: { schemas: { Custom: { type: "object", description: "Values by name." } } },
    paths: {
      "/pens/{pen_id}": {
        put: {
          description,
          requestBody: {
            content: { "application/json": { schema: { type: "object", required, properties } } },
          },
          responses: { 200: {} },
        },
        get: { responses: { 200: {} } },
      },
    },
  });

const warnings = (document: ReturnType<typeof readOpenapi>, update: object = {}): string[] =>
  compareDescription(
    {
      ...right,
      defaults: {
        modes: ["update"],
        get: { path: "/{path}/{id}" },
        update: { method: "PUT", path: "/{path}/{id}", empty: true, ...update },
      },
      objects: { pens: {} },
    },
    document,
  ).warnings.map(({ path, message }) => `${path}: ${message}`);

test("an update that clears what it leaves out is warned about in the vendor's own words", () => {
  const whole = updating(
    "Updates a pen. Without partial=true this replaces the whole record. Fine otherwise.",
    {},
  );
  assert.deepEqual(warnings(whole), [
    "connector.defaults.update: the vendor says of PUT /pens/{pen_id}: “Without partial=true this replaces the whole record.” " +
      "Look up what becomes of fields that an update leaves out (pens)",
  ]);
  const description = "Send all of them, or the other custom fields will be erased.";
  const part = updating("Updates a pen.", {
    custom: { type: "object", description },
    name: { type: "string" },
  });
  assert.match(
    warnings(part).join(),
    /update\.keeps: the vendor says of custom: “.*erased\.” `keeps: \[\{at: custom\}\]` sends/,
  );
  assert.deepEqual(warnings(part, { keeps: [{ at: "custom" }] }), []);
});

test("what the vendor demands of each update is named, unless it is repeated or required", () => {
  const document = updating("", { name: { type: "string" }, nib: { type: "string" } }, ["name"]);
  assert.match(
    warnings(document).join(),
    /update: the vendor demands name in each update: `repeats: \[name\]`/,
  );
  for (const update of [{ repeats: ["name"] }, { requires: ["name"] }])
    assert.deepEqual(warnings(document, update), []);
});

test("a bound in a text without a form can be a number of seconds, and a date cannot", () => {
  const bound = (schema: object) =>
    compareDescription(
      { ...right, defaults: { ...right.defaults, modes: ["read"] }, objects: { pens: {} } },
      readOpenapi({
        openapi: "3.0.3",
        info: { title: "Quill", version: "9" },
        paths: {
          "/v3/pens": { get: { parameters: [{ name: "since", in: "query", schema }], responses: {} } },
        },
      }),
    ).differences.filter(({ path }) => path.endsWith("since.format")).length;
  assert.equal(bound({ type: "string" }), 0);
  assert.equal(bound({ type: "string", format: "date-time" }), 1);
});

test("proposed facts have the vendor's id and its paging, as far as names tell them", () => {
  // In the form of Pylon's and Calendly's files: an answer with `data`, ids as `uuid`, a cursor below `pagination`.
  const list = (query: object[], answer: object) => ({
    get: { parameters: query, responses: { 200: { content: { "application/json": { schema: answer } } } } },
  });
  const listed = (members: object, beside: object) => ({
    type: "object",
    properties: { data: { type: "array", items: { type: "object", properties: members } }, ...beside },
  });
  const named = (name: string, schema: object) => ({ name, in: "query", schema });
  const document = readOpenapi({
    openapi: "3.0.3",
    info: { title: "Quill", version: "9" },
    paths: {
      "/inks": list(
        [
          named("page_token", { type: "string" }),
          named("per_page", { type: "integer", maximum: 100, default: 20 }),
        ],
        listed(
          { uuid: { type: "string", format: "uuid" }, name: { type: "string" } },
          {
            pagination: {
              type: "object",
              properties: {
                next_page_token: { type: "string", nullable: true },
                has_more: { type: "boolean" },
                total_count: { type: "integer" },
              },
            },
          },
        ),
      ),
      "/nibs": list(
        [named("page", { type: "integer", minimum: 1 })],
        listed({ nib_id: { type: "integer" } }, { last_page: { type: "integer" } }),
      ),
      "/caps": list([], listed({ name: { type: "string" } }, {})),
    },
  });
  const wanted = ["inks", "nibs", "caps"].map((objectName) => ({
    objectName,
    action: "list" as const,
    method: "GET",
    path: `/${objectName}`,
  }));
  const { inks, nibs, caps } = proposeFacts(wanted, document, "spec");
  assert.deepEqual(inks?.id, { path: "uuid", type: "uuid" });
  assert.deepEqual(inks?.list?.paging, {
    kind: "cursor",
    to: "query.page_token",
    from: "pagination.next_page_token",
    size: "query.per_page",
    largest: 100,
    default: 20,
    more: "pagination.has_more",
    total: "pagination.total_count",
    totalIs: "records",
  });
  assert.deepEqual(nibs?.id, { path: "nib_id", type: "integer" });
  assert.deepEqual(nibs?.list?.paging, {
    kind: "page",
    to: "query.page",
    first: 1,
    total: "last_page",
    totalIs: "pages",
  });
  assert.deepEqual(caps?.list?.paging, { kind: "none" });
  assert.match(caps?.unverified?.join(" ") ?? "", /What the id of a record is/);
});

test("facts that come from a document drift with it, and those entered by hand stay", () => {
  const objects = proposeFacts(
    [
      { objectName: "pens", action: "list", method: "GET", path: "/v3/pens" },
      { objectName: "pens", action: "create", method: "POST", path: "/v3/pens" },
    ],
    DOCUMENT,
    "spec",
  );
  const { pens } = objects;
  assert.equal(pens?.list?.records, "pens");
  assert.equal(pens?.id.type, "integer");
  assert.deepEqual(pens?.list?.query?.["limit"], { type: "integer", maximum: 50 });
  assert.deepEqual(pens?.create?.body, {
    "pen.name": { required: true, type: "string" },
    "pen.nib": { type: "string", enum: ["fine", "broad"] },
  });
  assert.deepEqual(pens?.create?.success, [201]);
  const facts: Facts = {
    provider: "quill",
    sources: { spec: { kind: "vendor-openapi", date: "2026-01-01" } },
    objects,
  };
  const isFrom = (source: string): boolean => source.startsWith("spec");
  assert.deepEqual(describeDrift(facts, DOCUMENT, isFrom), []);
  const { list } = facts.objects["pens"] ?? {};
  assert.ok(list?.query);
  list.query = {
    limit: { type: "integer", maximum: 20, pattern: "[0-9]+" },
    colour: {},
    after: {},
    state: { required: true },
  };
  list.path = "/v3/pens";
  assert.deepEqual(
    describeDrift(facts, DOCUMENT, isFrom).map(({ place, message }) => `${place}: ${message}`),
    [
      "pens.list.query.limit.maximum: 20 before, 50 now",
      "pens.list.query.colour: is gone",
      "pens.list.query.since: is new",
    ],
  );
  assert.deepEqual(
    describeDrift(facts, DOCUMENT, () => false),
    [],
  );
  const updated = updateFacts(facts, DOCUMENT, isFrom).objects["pens"]?.list?.query;
  assert.deepEqual(updated?.["limit"], { type: "integer", maximum: 50, pattern: "[0-9]+" });
  assert.ok(updated?.["colour"]);
});

test("a file that is no OpenAPI document is refused with what it needs", () => {
  for (const document of [7, {}, { openapi: "1.0", paths: {} }, { swagger: "2.0" }])
    assert.throws(() => readOpenapi(document), /no OpenAPI document/);
});

test("a Google discovery document has its operations, too", () => {
  const { operations } = readOpenapi({
    kind: "discovery#restDescription",
    servicePath: "quill/v1/",
    schemas: { Pens: { properties: { items: { type: "array", items: {} } } } },
    resources: {
      pens: {
        methods: {
          list: {
            httpMethod: "GET",
            path: "pens",
            parameters: { pageToken: { location: "query", type: "string" } },
            response: { $ref: "Pens" },
          },
        },
      },
    },
  });
  assert.deepEqual(
    operations.map(({ method, path, parameters }) => [method, path, parameters[0]?.name]),
    [["GET", "/quill/v1/pens", "pageToken"]],
  );
});
