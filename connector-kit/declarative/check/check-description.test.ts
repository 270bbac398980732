/** A broken description is refused with the place of each mistake. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { DESCRIPTIONS } from "../../../connectors/descriptions.gen.ts";
import { breakDescription } from "../../../tests/simulations/broken-descriptions.ts";
import { checkDescription } from "./check-description.ts";

const UPDATE = { method: "PUT", path: "/{path}/{id}" };

/** Ways to break a description: each changes one place and returns where the fault must be reported. */
const BREAKS: [place: RegExp, change: (description: Broken) => void][] = [
  [/defaults\.list\.path$/, ({ defaults }) => (defaults.list.path = "no-slash")],
  [/defaults\.list\.path$/, ({ defaults }) => (defaults.list.path = "//evil.example/{path}")],
  [/defaults\.list\.path$/, ({ defaults }) => (defaults.list.path = "/a/../{path}")],
  [/defaults\.list\.path$/, ({ defaults }) => (defaults.list.path = "/{wrong}")],
  [/defaults\.list\.path$/, ({ defaults }) => (defaults.list.path = "/{path")],
  [/defaults\.list\.path$/, ({ defaults }) => (defaults.list.path = 7)],
  [/defaults\.create\.method$/, ({ defaults }) => (defaults.create.method = "FETCH")],
  [/defaults\.create\.path$/, ({ defaults }) => delete defaults.create.path],
  [/defaults\.update\.idTo$/, ({ defaults }) => (defaults.update = { ...UPDATE, idTo: "header.id" })],
  [/defaults\.update\.path$/, ({ defaults }) => (defaults.update = { ...UPDATE, path: "/a#b" })],
  [/defaults\.paging$/, ({ defaults }) => (defaults.paging = {})],
  [/defaults\.paging$/, ({ defaults }) => (defaults.paging = { link: true, none: true })],
  [/defaults\.paging\.cursor\.from$/, ({ defaults }) => (defaults.paging = { cursor: { to: "query.c" } })],
  [/defaults\.paging\.cursor\.to$/, ({ defaults }) => (defaults.paging = { cursor: { from: "a", to: "c" } })],
  [/defaults\.since\.template$/, ({ defaults }) => (defaults.since = { to: "query.s", template: "after" })],
  [/defaults\.since\.format$/, ({ defaults }) => (defaults.since = { to: "query.s", format: "iso" })],
  [/defaults\.since\.to$/, ({ defaults }) => (defaults.since = { to: "header.a b" })],
  [/defaults\.select\.to$/, ({ defaults }) => (defaults.select = { to: "header.fields" })],
  [/furtherLists\.0\.most$/, ({ defaults }) => (defaults.furtherLists = [{ path: "/x", most: 9 }])],
  [
    /furtherLists\.0\.since$/,
    ({ defaults }) => (defaults.furtherLists = [{ path: "/x", since: { to: "query.s" } }]),
  ],
  [
    /furtherLists\.0\.since\.to$/,
    ({ defaults }) => (defaults.furtherLists = [{ list: { path: "/x" }, since: { to: "s" } }]),
  ],
  [
    /furtherLists\.0\.since\.until$/,
    ({ defaults }) =>
      (defaults.furtherLists = [{ list: { path: "/x" }, since: { to: "query.s", until: "u" } }]),
  ],
  [
    /furtherLists\.0\.since\.template$/,
    ({ defaults }) =>
      (defaults.furtherLists = [{ list: { path: "/x" }, since: { to: "query.s", template: "after" } }]),
  ],
  [
    /furtherLists\.0\.since\.zone$/,
    ({ defaults }) =>
      (defaults.furtherLists = [{ list: { path: "/x" }, since: { to: "query.s", zone: "user" } }]),
  ],
  [
    /furtherLists\.0\.newestFirst$/,
    ({ defaults }) => (defaults.furtherLists = [{ list: { path: "/x" }, newestFirst: true }]),
  ],
  [
    /furtherLists\.0\.mayBeForbidden$/,
    ({ defaults }) => (defaults.furtherLists = [{ list: { path: "/x" }, mayBeForbidden: true }]),
  ],
  [
    /furtherLists\.0\.mayBeBack$/,
    ({ defaults }) => (defaults.furtherLists = [{ list: { path: "/x" }, mayBeBack: true }]),
  ],
  [/since\.records$/, ({ defaults }) => (defaults.since = { to: "query.since", records: "*.x" })],
  [/furtherLists\.0\.idPath$/, ({ defaults }) => (defaults.furtherLists = [{ path: "/x", idPath: "of" }])],
  [/defaults\.lists$/, ({ defaults }) => (defaults.lists = {})],
  [/ids\.pattern$/, (description) => (description.ids = { pattern: ".*" })],
  [/ids\.pattern$/, (description) => (description.ids = { pattern: "(" })],
  [/ids\.pattern$/, (description) => (description.ids = { pattern: "([a-z]+)+_" })],
  [
    /objects$/,
    (description) => {
      description.objects = {};
      delete description.others;
    },
  ],
  [/errors\.message$/, ({ errors }) => delete errors.message],
  [/errors\.codes\.X$/, ({ errors }) => (errors.codes = { X: "strange" })],
  [/sources$/, (description) => delete description.sources],
  [/objects\.\.\.$/, ({ objects }) => (objects[".."] = {})],
];

// oxlint-disable-next-line typescript/no-explicit-any
type Broken = any;

/** Descriptions with defaults in all places that the ways change. */
const WITH_DEFAULTS = Object.entries(DESCRIPTIONS).filter(
  ([, { defaults }]) => defaults.list !== undefined && defaults.create !== undefined,
);

for (const [provider, description] of WITH_DEFAULTS) {
  test(`${BREAKS.length} ways to break the description of ${provider} are each refused with the place`, () => {
    for (const [place, change] of BREAKS) {
      const broken: Broken = JSON.parse(JSON.stringify(description));
      // Not every description has them for all of its objects.
      broken.defaults = {
        list: { path: "/{path}" },
        create: { ...UPDATE, path: "/{path}" },
        ...broken.defaults,
      };
      change(broken);
      const { faults } = checkDescription(broken);
      assert.ok(
        faults.some(({ path, message }) => place.test(path) && message !== ""),
        `${place}: ${JSON.stringify(faults)}`,
      );
    }
  });
}

test("a wrong value in any place of any description is refused with that place", () => {
  for (const [provider, description] of Object.entries(DESCRIPTIONS)) {
    const all = breakDescription(description);
    assert.ok(all.length > 50);
    for (const { place, description: broken } of all) {
      const { faults } = checkDescription(broken);
      assert.ok(
        faults.some(({ path, message }) => path === place && message !== ""),
        `${provider} ${place}: ${JSON.stringify(faults)}`,
      );
    }
  }
});

test("batches and metadata that cannot work are refused", () => {
  const [description] = Object.values(DESCRIPTIONS);
  const requests = { path: "/batch", most: 20, to: "requests", answers: "responses", status: "status" };
  const list = { method: "POST", path: "/many", most: 10, to: "records", answers: "records" };
  const metadata = {
    path: "/fields",
    records: "data",
    name: "name",
    type: "type",
    types: { text: "string" },
  };
  const wrong: [place: string, rules: object][] = [
    ["batch.requests.path", { batch: { requests: { ...requests, path: "/{path}" } } }],
    ["batch.requests.path", { batch: { requests: { ...requests, path: "https://evil.example" } } }],
    ["batch.requests.most", { batch: { requests: { ...requests, most: 1 } } }],
    ["batch.requests.to", { batch: { requests: { ...requests, to: "" } } }],
    ["batch.requests", { batch: { requests }, create: { ...UPDATE, wrap: { form: true } } }],
    ["batch.create.path", { batch: { create: { ...list, path: "/{id}" } } }],
    ["batch.create", { batch: { create: { ...list, answers: undefined } } }],
    ["batch.update", { batch: { update: list } }],
    ["batch.create.okWhen", { batch: { create: { ...list, okWhen: "status" } } }],
    ["batch.upsert", { batch: { upsert: list }, upsert: undefined }],
    ["create.idempotencyKeyTo", { create: { method: "POST", path: "/a", idempotencyKeyTo: "path.key" } }],
    [
      "create.idempotencyKeyTo",
      { create: { method: "POST", path: "/a", idempotencyKeyTo: "body.key", wrap: { form: true } } },
    ],
    ["metadata", { metadata: { label: "Person" } }],
    ["metadata.list.path", { metadata: { list: { ...metadata, path: "//evil.example" } } }],
    ["metadata.list.types", { metadata: { list: { ...metadata, types: {} } } }],
    ["metadata.list.paging", { metadata: { list: { ...metadata, paging: {} } } }],
    ["metadata.list.custom", { metadata: { list: { ...metadata, custom: { paths: ["custom"] } } } }],
    ["metadata.list.skip[0]", { metadata: { list: { ...metadata, skip: [{ paths: [], is: ["x"] }] } } }],
  ];
  for (const [place, rules] of wrong) {
    const broken = { ...description, objects: { people: JSON.parse(JSON.stringify(rules)) } };
    const { faults } = checkDescription(broken);
    assert.ok(
      faults.some(({ path }) => path === `connector.objects.people.${place}`),
      `${place}: ${JSON.stringify(faults)}`,
    );
  }
});

test("values of the connection, versions, parts of a query, GraphQL and names of other objects are refused where they cannot work", () => {
  const [description] = Object.values(DESCRIPTIONS);
  const update = { ...UPDATE, readBefore: { from: "version", to: "body.version" } };
  const wrong: [place: string, rules: object][] = [
    ["list.path", { list: { path: "/{connection.}/a" } }],
    ["list.path", { list: { path: "/{connections.realm}/a" } }],
    ["records", { records: "folders.*" }],
    ["furtherLists.0.records", { furtherLists: [{ records: "*.*.goals" }] }],
    ["furtherLists.0", { furtherLists: [{}] }],
    ["list.query.q", { list: { path: "/a", query: { q: "{connection.a-b}" } } }],
    ["list.query.q", { list: { path: "/a", query: { q: "{connection.a" } } }],
    ["create.also.team", { create: { ...UPDATE, also: { team: "{connection}" } } }],
    ["list.query", { list: { path: "/a", query: {} }, since: { to: "fill.changed" } }],
    ["list.pageSize.to", { list: { path: "/a", pageSize: { to: "fill.", most: 10 } } }],
    [
      "list.pageSize.template",
      { list: { path: "/a", pageSize: { to: "query.n", template: "n", most: 10 } } },
    ],
    ["typedValues", { typedValues: { type: "type", values: {} } }],
    ["update.readBefore", { update, get: undefined }],
    ["update.repeats", { update: { ...UPDATE, repeats: ["name"] }, get: undefined }],
    ["update.keeps", { update: { ...UPDATE, keeps: [{ at: "custom" }] }, get: undefined }],
    ["update.readBefore.to", { update: { ...update, readBefore: { from: "a", to: "header.a" } } }],
    ["delete.idTo", { delete: { method: "POST", path: "/a", idTo: "fill.id" } }],
    ["select", { select: { to: "query.f", most: 50 } }],
    ["select.most", { select: { to: "query.f", most: 2, ids: { to: "query.ids", most: 9 } } }],
    ["select.most", { flatten: "a", select: { to: "query.f", most: 9, ids: { to: "query.ids", most: 9 } } }],
    ["select.ids.to", { select: { to: "query.f", most: 9, ids: { to: "body.ids", most: 9 } } }],
    [
      "select.optional",
      { select: { to: "query.f", most: 9, ids: { to: "query.ids", most: 9 }, optional: ["a"] } },
    ],
    ["select.ids.most", { select: { to: "query.f", most: 9, ids: { to: "query.ids", most: 0 } } }],
    ["idPattern", { idPattern: ".*" }],
    ["paging.page.anySize", { paging: { page: { to: "query.p", first: 1, anySize: true } } }],
    [
      "paging.page.anySize",
      {
        list: { path: "/people", pageSize: { to: "query.size", most: 10 } },
        paging: { page: { to: "query.p", first: 1, anySize: true } },
      },
    ],
    ["paging.offset.multiples", { paging: { offset: { to: "query.p", multiples: true } } }],
    [
      "paging.offset.multiples",
      {
        list: { path: "/people", pageSize: { to: "query.size", most: 10 } },
        paging: { offset: { to: "query.p", multiples: true } },
      },
    ],
    ["paging.offset.next", { paging: { offset: { to: "query.p", next: "header.X-Next" } } }],
    ["paging", { paging: { page: { to: "query.p", first: 1, more: "more", next: "header.Link" } } }],
    ["paging.newestFirst", { changedPath: "at", paging: { link: true, newestFirst: true } }],
    ["paging.newestFirst", { paging: { page: { to: "query.p", first: 1 }, newestFirst: true } }],
    [
      "paging.newestFirst",
      {
        changedPath: "at",
        since: { to: "query.s" },
        paging: { page: { to: "query.p", first: 1 }, newestFirst: true },
      },
    ],
  ];
  for (const [place, rules] of wrong) {
    const broken = { ...description, objects: { people: JSON.parse(JSON.stringify(rules)) } };
    const faults = checkDescription({ ...broken, defaults: {} }).faults.map(({ path }) => path);
    assert.ok(faults.includes(`connector.objects.people.${place}`), `${place}: ${faults.join()}`);
  }
  const endpoint = { path: "/graphql", id: "ID!", payload: "success", most: 100 };
  const graphql = { list: "issues", get: "issue", record: "issue", fields: ["title"] };
  const withGraphql = (rules: object, own: object = endpoint) =>
    checkDescription({
      ...description,
      graphql: own,
      defaults: { modes: ["read"] },
      objects: { issues: { graphql: { ...graphql, ...rules } } },
    });
  assert.deepEqual(withGraphql({}).faults, []);
  for (const [place, rules, own] of [
    ["objects.issues.graphql.list", { list: "issues{x}" }],
    ["objects.issues.graphql.fields[0]", { fields: ["a b"] }],
    ["objects.issues.graphql.fields", { fields: [] }],
    ["objects.issues.graphql.create.input", { create: { field: "a", input: "A){x" } }],
    ["objects.issues.graphql.update", { update: { field: "a" } }],
    ["objects.issues.graphql.since.type", { since: { argument: "a", type: "$a" } }],
    ["objects.issues.graphql.since.template", { since: { argument: "a", type: "A", template: "x" } }],
    ["graphql.path", {}, { ...endpoint, path: "https://evil.example" }],
    ["graphql.payload", {}, { ...endpoint, payload: "a} b{" }],
    ["graphql.id", {}, { ...endpoint, id: "ID){" }],
    ["graphql.most", {}, { ...endpoint, most: 0 }],
  ] as const) {
    const { faults } = withGraphql(rules, own);
    assert.ok(
      faults.some(({ path }) => path === `connector.${place}`),
      `${place}: ${JSON.stringify(faults)}`,
    );
  }
  const others = { pattern: "[a-z]{3}/[a-z]{3}", like: "abc/def", rules: { modes: [] } };
  assert.deepEqual(checkDescription({ ...description, others }).faults, []);
  for (const [place, change] of [
    ["pattern", { pattern: "[a-z./]{1,9}" }],
    ["pattern", { pattern: "(" }],
    ["like", { like: "abc" }],
    ["rules.idPath", { rules: { idPath: 7 } }],
    ["further.0.pattern", { further: [{ ...others, pattern: "[a-z./]{1,9}" }] }],
    ["further.0.rules.list.path", { further: [{ ...others, rules: { list: { path: "{nothing}" } } }] }],
  ] as const) {
    const { faults } = checkDescription({ ...description, others: { ...others, ...change } });
    assert.ok(
      faults.some(({ path }) => path === `connector.others.${place}`),
      `${place}: ${JSON.stringify(faults)}`,
    );
  }
});

test("what can be done with an object needs its request, and the id a place", () => {
  const [description] = Object.values(DESCRIPTIONS);
  const objects = {
    a: { update: { method: "POST", path: "/fixed" } },
    b: { get: { path: "/without" } },
  };
  const faults = checkDescription({ ...description, defaults: {}, objects }).faults.map(({ path }) => path);
  assert.ok(faults.includes("connector.objects.a.update"));
  assert.ok(faults.includes("connector.objects.b.get.path"));
  assert.ok(faults.includes("connector.objects.a"));
});
