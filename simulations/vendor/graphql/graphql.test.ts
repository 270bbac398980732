/** A simulated vendor answers documents according to its schema, and the schema's excerpt covers the facts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { completeRequests } from "../../../connector-kit/facts/complete-requests.ts";
import type { Facts } from "../../../connector-kit/facts/facts.ts";
import { getValueAt } from "../../../connector-kit/calls/get-text-at.ts";
import type { JsonObject } from "../../../ground/json.ts";
import { Vendor } from "../vendor.ts";
import { openGraphqlSide } from "./graphql-side.ts";
import { addBodies } from "./schema-bodies.ts";
import { readGraphqlSchema, cutSchemaExcerpt } from "./schema-excerpt.ts";

const WHOLE = `
type Query {
  pens(first: Int, after: String, filter: PenFilter, sort: [PenSort!], sold: Boolean = false): PenConnection!
  pen(id: ID!): Pen
  inks: [Ink!]!
}
type Mutation {
  penCreate(input: PenInput!): PenPayload!
  penUpdate(id: ID!, input: PenInput!, nib: String @deprecated(reason: "use input")): PenPayload!
}
type PenConnection { nodes: [Pen!]! edges: [PenEdge!]! pageInfo: PageInfo! }
type PenEdge { node: Pen! }
type PageInfo { endCursor: String hasNextPage: Boolean! }
type Pen { id: ID! name: String! nib: Nib! old: String @deprecated(reason: "use name") ink: Ink changedAt: Date! }
type Ink { id: ID! pens: PenConnection! }
type PenPayload { success: Boolean! pen: Pen }
input PenFilter { changedAt: DateRange name: String ink: InkFilter }
input InkFilter { id: ID }
input DateRange { from: Date }
input PenSort { name: String }
input PenInput { name: String! nib: Nib maker: MakerInput! }
input MakerInput { id: ID! }
enum Nib { FINE BROAD }
scalar Date
`;

const FACTS = completeRequests({
  provider: "quill",
  sources: { schema: { kind: "vendor-schema", date: "2026-11-27" } },
  graphql: { source: "schema", path: "/graphql" },
  objects: {
    pens: {
      id: { path: "id", type: "string" },
      changed: { path: "changedAt", format: "rfc3339" },
      list: {
        field: "pens",
        records: "nodes",
        paging: {
          kind: "cursor",
          to: "argument.after",
          from: "pageInfo.endCursor",
          more: "pageInfo.hasNextPage",
          size: "argument.first",
          largest: 4,
        },
        since: { to: "argument.filter.changedAt.from", format: "rfc3339" },
        hidden: [{ what: "sold pens", shownBy: { "argument.sold": "true" } }],
      },
      get: { field: "pen", idTo: "argument.id", record: "" },
      create: { field: "penCreate", wrap: "input", record: "pen", envelope: { success: true } },
      update: { field: "penUpdate", idTo: "argument.id", wrap: "input", record: "pen" },
    },
  },
  errors: { source: "schema", body: { errors: [{ message: "REASON" }] }, message: "errors.0.message" },
} as unknown as Facts);

const EXCERPT = cutSchemaExcerpt(readGraphqlSchema(WHOLE), FACTS);
const vendor = new Vendor(FACTS, { graphql: openGraphqlSide(EXCERPT) });

function ask(query: string, variables: JsonObject = {}) {
  const headers = { "content-type": "application/json" };
  const text = JSON.stringify({ query, variables });
  const { status, body = null } = vendor.answer({ method: "POST", target: "/graphql", headers, body: text });
  return {
    status,
    body,
    at: (path: string) => getValueAt(body, `data.${path}`),
    reason: String(getValueAt(body, "errors.0.message")),
  };
}

test("the excerpt has what the facts name, members that are no objects, and what the vendor demands", () => {
  for (const line of [
    "pens(first: Int, after: String, filter: PenFilter, sold: Boolean = false): PenConnection!",
    "old: String @deprecated",
    "maker: MakerInput!",
    "penUpdate(id: ID!, input: PenInput!, nib: String @deprecated): PenPayload!",
    "enum Nib {\n  FINE\n  BROAD\n}",
    "changedAt: DateRange",
    "scalar Date",
  ])
    assert.ok(EXCERPT.includes(line), line);
  for (const absent of ["edges", "inks", "PenSort", "InkFilter", "ink:", "use name"])
    assert.ok(!EXCERPT.includes(absent), absent);
  const strange = {
    ...FACTS,
    objects: {
      ...FACTS.objects,
      inks: { ...FACTS.objects["pens"], get: { ...FACTS.objects["pens"]?.get, field: "ink" } },
    },
  };
  assert.throws(
    () => cutSchemaExcerpt(readGraphqlSchema(WHOLE), strange as Facts),
    /inks.get: the vendor has no query ink/,
  );
});

test("documents are refused before anything is carried out, with what the schema does not allow", () => {
  vendor.clear();
  const refusals: [string, JsonObject, RegExp][] = [
    ["{ pens { nodes { colour } } }", {}, /Cannot query field "colour" on type "Pen"/],
    [
      "query($first:String){pens(first:$first){nodes{id}}}",
      {},
      /type "String" used in position expecting type "Int"/,
    ],
    ["query($id:ID!){pen(id:$id){id}}", {}, /Variable "\$id" of required type "ID!" was not provided/],
    [
      "mutation($input:PenInput!){penCreate(input:$input){success}}",
      { input: { name: "x", maker: { id: "1" }, cap: 1 } },
      /"cap" is not defined by type "PenInput"/,
    ],
    [
      "mutation($input:PenInput!){penCreate(input:$input){success}}",
      { input: { name: "x" } },
      /"maker" of required type "MakerInput!" was not provided/,
    ],
    ["{ pens { ", {}, /Syntax Error/],
  ];
  for (const [query, variables, reason] of refusals) {
    const { status, reason: reported } = ask(query, variables);
    assert.equal(status, 400, query);
    assert.match(reported, reason);
  }
  assert.equal(vendor.records.of("pens").length, 0);
});

test("a list has pages, a bound, hidden records and only what is selected", () => {
  vendor.clear();
  const records = Array.from({ length: 3 }, () => vendor.records.put("pens"));
  vendor.records.put("pens", { hidden: 0 });
  const list =
    "query($first:Int,$after:String,$filter:PenFilter){pens(first:$first,after:$after,filter:$filter){nodes{id nib} pageInfo{endCursor hasNextPage}}}";
  const page = ask(list, { first: 2 });
  assert.deepEqual(
    page.at("pens.nodes"),
    records.slice(0, 2).map(({ id }) => ({ id, nib: "FINE" })),
  );
  assert.equal(page.at("pens.pageInfo.hasNextPage"), true);
  assert.equal(ask("{pens(sold:true){nodes{id}}}").at("pens.nodes.3.id") !== undefined, true);
  const from = new Date(records[2]?.changedMs ?? 0).toISOString();
  assert.deepEqual(ask(list, { filter: { changedAt: { from } } }).at("pens.nodes"), [
    { id: records[2]?.id, nib: "FINE" },
  ]);
  assert.match(ask(list, { filter: { changedAt: { from: "yesterday" } } }).reason, /not a time/);
  assert.match(ask(list, { first: 5 }).reason, /more than 4/);
});

test("a record is created, changed and read; one that is not there is null where the schema allows it, else an error", () => {
  vendor.clear();
  const input = { name: "Ada", maker: { id: "1" } };
  const create = ask("mutation($input:PenInput!){penCreate(input:$input){success pen{id name}}}", { input });
  const id = create.at("penCreate.pen.id") ?? null;
  assert.deepEqual([create.at("penCreate.success"), create.at("penCreate.pen.name")], [true, "Ada"]);
  assert.equal(ask("query($id:ID!){pen(id:$id){name old}}", { id }).at("pen.name"), "Ada");
  assert.deepEqual([...vendor.deprecated], ["The field Pen.old is deprecated. No longer supported"]);
  assert.deepEqual(ask('{pen(id:"7"){id}}').body, { data: { pen: null } });
  const gone = ask('mutation($input:PenInput!){penUpdate(id:"7",input:$input){success}}', { input });
  assert.equal(gone.status, 200);
  assert.match(gone.reason, /there is no pens 7/);
});

test("the members of an input that facts of writes need are those of the schema", () => {
  assert.deepEqual(addBodies(FACTS, EXCERPT).objects["pens"]?.create?.body, {
    "input.name": { required: true, type: "string" },
    "input.maker": { required: true, type: "object" },
  });
});

test("a list that is a member of what a root field gives is that of the object which the call names", () => {
  const sdl = `
    type Query { boxes(ids: [ID!]): [Box] pens(ids: [ID!]): [Pen!] }
    type Mutation { put_pen(box_id: ID!, pen_name: String!, columns: JSON): Pen }
    type Box { id: ID! page(limit: Int! = 2): Page! }
    type Page { pens: [Pen!]! }
    type Pen { id: ID! name: String! columns: [Column!]! }
    type Column { id: ID! text: String }
    scalar JSON`;
  const facts = completeRequests({
    provider: "quill",
    sources: { schema: { kind: "vendor-schema", date: "2026-11-27" } },
    graphql: { source: "schema", path: "/", headers: { Version: "2" } },
    objects: {
      "77": {
        id: { path: "id", type: "string" },
        fieldList: { at: "columns", name: "id", value: "text" },
        list: { field: "boxes.page", below: "argument.ids", records: "pens", paging: { kind: "none" } },
        get: { field: "pens", idTo: "argument.ids", record: "" },
        create: {
          field: "put_pen",
          wrap: "columns",
          textual: true,
          named: { pen_name: "name" },
          body: { box_id: { enum: ["77"] } },
          record: "",
        },
      },
    },
  } as unknown as Facts);
  const boxes = new Vendor(facts, {
    graphql: openGraphqlSide(cutSchemaExcerpt(readGraphqlSchema(sdl), facts)),
  });
  const send = (query: string, version = "2") => {
    const headers = { "content-type": "application/json", version };
    return JSON.stringify(
      boxes.answer({ method: "POST", target: "/", headers, body: JSON.stringify({ query }) }).body,
    );
  };
  const put = (box: string, columns: string) =>
    send(`mutation{put_pen(box_id:${box},pen_name:"Ada",columns:${columns}){name columns{id text}}}`);
  assert.match(
    put("77", '"{\\"nib\\":\\"fine\\"}"'),
    /"name":"Ada","columns":\[\{"id":"nib","text":"fine"\}\]/,
  );
  assert.match(put("78", '"{}"'), /box_id.*is not one of 77/);
  assert.match(put("77", "{}"), /columns: not a text/);
  assert.match(send("{boxes(ids:[77]){page{pens{name}}}}"), /"pens":\[\{"name":"Ada"\}\]/);
  const [pen] = boxes.records.of("77");
  assert.match(send(`{pens(ids:["${pen?.id}"]){name}}`), /"pens":\[\{"name":"Ada"\}\]/);
  assert.match(send('{pens(ids:["1"]){name}}'), /"pens":\[\]/);
  assert.match(send("{boxes(ids:[77]){id}}", "1"), /header Version is 1; the schema is that of 2/);
});
