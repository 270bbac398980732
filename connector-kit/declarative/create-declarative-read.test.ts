/** Requests of described lists: the names of wanted fields, and bounds in headers. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { processorMs } from "../../tests/harness/processor-ms.ts";
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";
import type { ReadPlan } from "../read-connector.ts";
import { replay, type Reply } from "../testing/replay.ts";
import { describeConnector } from "./describe-connector.ts";
import type { ObjectRules } from "./rules/description.ts";

function buildReader(rules: ObjectRules) {
  const { read } = describeConnector("Quill", {
    defaults: { list: { path: "/{path}" }, paging: { link: true }, changedPath: "changed", ...rules },
    objects: { people: { modes: ["read"] } },
    errors: { message: ["error"] },
    sources: { documentation: "https://docs.quill.example", checked: "2026-11-22, documentation only" },
  });
  assert.ok(read);
  return read;
}

const PLAN: ReadPlan = {
  objectName: "people",
  fields: ["name", "$['custom']['plan']", "id"],
  filters: [{ fieldName: "email", value: "ada@example.com" }],
  associations: [],
};
const readQuery = (rules: ObjectRules): string =>
  decodeURIComponent(buildReader(rules).preparePage(PLAN).path);

test("fields to read and to compare are named once each, with the id and the time of the last change", () => {
  assert.equal(readQuery({ select: { to: "query.fields" } }), "/people?fields=name,custom,id,email,changed");
  assert.equal(
    readQuery({ select: { to: "query.fields", separator: " " }, flatten: "attributes" }),
    "/people?fields=name custom email",
  );
  const posted = buildReader({
    list: { method: "POST", path: "/{path}" },
    select: { to: "body.only.fields" },
  });
  assert.deepEqual(posted.preparePage(PLAN).body, {
    only: { fields: ["name", "custom", "id", "email", "changed"] },
  });
});

const FEW: ObjectRules = {
  records: "data",
  list: { path: "/{path}", query: { state: "all" } },
  paging: { none: true },
  get: { path: "/{path}/{id}" },
  select: { to: "query.fields", most: 4, ids: { to: "query.ids", most: 2 } },
};
const WANTED = ["name", "email", "phone", "city", "zip"];

test("fields beyond those that one request may name are read by the ids of the page, and none is dropped (Zoho CRM: 50)", async () => {
  const at = (query: string) => new URLSearchParams(query.split("?")[1]);
  const stored: JsonObject[] = ["1", "2", "3", "4"].map((id) => ({
    id,
    changed: "2026-11-27T08:00:00Z",
    ...Object.fromEntries(WANTED.map((name) => [name, `${name} ${id}`])),
  }));
  const { fetch, requests } = replay(({ path }) => {
    const [alone] = /^\/people\/(\w+)/.exec(path)?.slice(1) ?? [];
    // 3 is in no answer that is asked for by ids, and 4 is gone.
    if (alone !== undefined)
      return alone === "3"
        ? { status: 200, body: stored[2] ?? null }
        : { status: 404, body: { error: "gone" } };
    const names = at(path).get("fields")?.split(",") ?? [];
    assert.ok(names.length <= 4, path);
    const ids = at(path).get("ids")?.split(",");
    const data = stored
      .filter(({ id }) => !ids || (ids.includes(String(id)) && id !== "3" && id !== "4"))
      .map((record) => Object.fromEntries(Object.entries(record).filter(([name]) => names.includes(name))));
    return { status: 200, body: { data } };
  });
  const { records } = await buildReader(FEW).readPage(
    { ...PLAN, fields: WANTED, filters: [] },
    undefined,
    fetch,
  );
  assert.deepEqual(
    records.map(({ raw }) => raw),
    stored.slice(0, 3),
  );
  assert.deepEqual(
    requests.map(({ path }) => decodeURIComponent(path)),
    [
      "/people?state=all&fields=id,changed,name,email",
      "/people?state=all&ids=1,2&fields=id,phone,city,zip",
      "/people?state=all&ids=3,4&fields=id,phone,city,zip",
      "/people/3",
      "/people/4",
    ],
  );
});

test("a refusal of further fields fails the page, and fewer fields cost no further request", async () => {
  const page = { status: 200, body: { data: [{ id: "1", changed: "2026-11-27T08:00:00Z" }] } };
  const refused = replay(page, { status: 400, body: { error: "no such field" } });
  await assert.rejects(
    async () => buildReader(FEW).readPage({ ...PLAN, fields: WANTED, filters: [] }, undefined, refused.fetch),
    /no such field/,
  );
  const { fetch, requests } = replay(page);
  await buildReader(FEW).readPage({ ...PLAN, fields: ["name", "email"], filters: [] }, undefined, fetch);
  assert.equal(requests.length, 1);
});

test("without a wanted field, nothing is named where id and time stand beside the fields: all are meant", async () => {
  const rules = { select: { to: "query.fields" }, flatten: "attributes", get: { path: "/{path}/{id}" } };
  const { fetch, requests } = replay({ status: 200, body: { id: "7", attributes: {} } });
  const read = buildReader(rules);
  assert.equal(read.preparePage({ ...PLAN, fields: [], filters: [] }).path, "/people");
  await read.readByIds({ objectName: "people", fields: [], associations: [] }, ["7"], fetch);
  assert.deepEqual(
    requests.map(({ path }) => path),
    ["/people/7"],
  );
});

test("ids that cannot be ids are not sent, and hide no record; an id that comes twice is read once", async () => {
  const { fetch, requests } = replay({ status: 200, body: { id: "7" } }, { status: 200, body: { id: "8" } });
  const read = buildReader({ get: { path: "/{path}/{id}" } });
  const ids = ["../admin", "7", "a b", "", "8", "7"];
  const found = await read.readByIds({ objectName: "people", fields: [], associations: [] }, ids, fetch);
  assert.deepEqual(
    requests.map(({ path }) => path),
    ["/people/7", "/people/8"],
  );
  assert.deepEqual(
    found.map(({ id }) => id),
    ["7", "8"],
  );
});

test("a record that is read by its id has the wanted fields, too", async () => {
  const { fetch, requests } = replay({ status: 200, body: { id: "7", name: "Ada" } });
  const read = buildReader({ get: { path: "/{path}/{id}" }, select: { to: "query.fields" } });
  await read.readByIds({ objectName: "people", fields: ["name"], associations: [] }, ["7"], fetch);
  assert.deepEqual(
    requests.map(({ path }) => decodeURIComponent(path)),
    ["/people/7?fields=name,id,changed"],
  );
});

test("a search compares values in members itself, over all pages, and says that it saw all", async () => {
  const reader = buildReader({ paging: { cursor: { from: "next", to: "query.after" } }, records: "data" });
  const record = (id: string, plan: Json) => ({ id, custom: { plan } });
  const { fetch, requests } = replay(
    { status: 200, body: { data: [record("1", 7), record("2", "8"), record("3", { is: 7 })], next: "p2" } },
    { status: 200, body: { data: [record("4", "7"), { id: "5", custom: null }] } },
  );
  const filters = [{ fieldName: "$['custom']['plan']", value: "7" }];
  const { records, truncated } = await reader.search({ ...PLAN, filters }, fetch);
  assert.deepEqual([records.map(({ id }) => id), truncated, requests.length], [["1", "4"], false, 2]);
});

test("a header of links that never end takes no time", async () => {
  const usedMs = await processorMs(async () => {
    for (const link of ["<".repeat(60_000), "<a>;".repeat(15_000), `<a>;${" ".repeat(60_000)}`]) {
      const { fetch } = replay({ status: 200, body: [{ id: "7" }], headers: { link } });
      const { next } = await buildReader({}).readPage(PLAN, undefined, fetch);
      assert.equal(next, undefined);
    }
  });
  assert.ok(usedMs < 500, `${usedMs} ms`);
  const link =
    '<https://quill.example/people?page=1>; rel="first", <https://quill.example/people?page=3>; rel="next"';
  const { fetch } = replay({ status: 200, body: [{ id: "7" }], headers: { link } });
  const { next } = await buildReader({}).readPage(PLAN, undefined, fetch);
  assert.equal(next?.["place"], "/people?page=3");
});

test("a value of the connection is a step of a path and leads nowhere else", () => {
  const pathWith = (company: string): string =>
    buildReader({ list: { path: "/v3/{connection.company}/{path}" } }).preparePage({
      ...PLAN,
      account: { values: { company } },
    }).path;
  assert.equal(pathWith("a/../b?c"), "/v3/a%2F..%2Fb%3Fc/people");
  for (const company of [".", ".."]) assert.throws(() => pathWith(company), /cannot be part of an address/);
});

test("a bound in a header goes with every page, also where the address of the next page is the provider's", () => {
  const read = buildReader({ since: { to: "header.If-Modified-Since", format: "http" } });
  const since = new Date("2026-11-20T09:30:15Z");
  for (const checkpoint of [undefined, { place: "/people?page=2" }]) {
    const { headers } = read.preparePage({ ...PLAN, since }, checkpoint);
    assert.deepEqual(headers, { "if-modified-since": "Fri, 20 Nov 2026 09:30:15 GMT" });
  }
  assert.equal(read.preparePage(PLAN).headers, undefined);
});

// OData in Microsoft Dataverse: page-results.md of MicrosoftDocs/powerapps-docs, 2024-07-01.
test("the size of a page is a preference in a header, of every page; a $ in names is not encoded", async () => {
  const pageSize = { to: "header.Prefer", template: "odata.maxpagesize={size}", most: 500 };
  const read = buildReader({
    list: { path: "/{path}", query: { $select: "name" }, pageSize },
    paging: { nextUrl: { from: "next" } },
    records: "value",
  });
  const next = "https://quill.example/people?$select=name&$skiptoken=%3Ccookie%3E";
  const { fetch, requests } = replay({ status: 200, body: { value: [{ id: "7" }], next } });
  const page = await read.readPage(PLAN, undefined, fetch);
  assert.deepEqual(
    [requests[0], read.preparePage(PLAN, page.next)].map((request) => [request?.path, request?.headers]),
    [
      ["/people?$select=name", { prefer: "odata.maxpagesize=500" }],
      ["/people?$select=name&$skiptoken=%3Ccookie%3E", { prefer: "odata.maxpagesize=500" }],
    ],
  );
});

test("rows in the trash have a list of their own by the body, which alone is read for deletions, and one by its id is gone (Notion)", async () => {
  const trashed: JsonObject = { id: "3", in_trash: true, edited: "2026-02-04T04:05:06Z" };
  const bodies: JsonObject[] = [];
  assert.equal(buildReader({}).abilities.deletions, false);
  const reader = buildReader({
    list: { method: "POST", path: "/query", body: { "filter.kind": "page" } },
    records: "data",
    paging: { none: true },
    changedPath: "edited",
    deleted: { at: "in_trash" },
    furtherLists: [{ body: { in_trash: true }, deleted: true }],
    get: { path: "/people/{id}" },
  });
  const { fetch } = replay(({ method, path, body }): Reply => {
    if (method === "GET") return { status: 200, body: path.endsWith("3") ? trashed : { id: "1" } };
    if (body !== undefined && isJsonObject(body)) bodies.push(body);
    const isTrash = isJsonObject(body) && body["in_trash"] === true;
    return { status: 200, body: { data: isTrash ? [trashed] : [{ id: "1", in_trash: false }] } };
  });
  const period = { objectName: "people", since: new Date("2026-02-01T00:00:00Z"), until: new Date() };
  const { records, next } = await reader.readDeletions(period, undefined, fetch);
  assert.deepEqual([records.map(({ id }) => id), next], [["3"], undefined]);
  assert.deepEqual(bodies, [{ filter: { kind: "page" }, in_trash: true }]);
  assert.deepEqual(
    (await reader.readPage({ ...PLAN, filters: [] }, undefined, fetch)).records.map(({ id }) => id),
    ["1"],
  );
  const byIds = { objectName: "people", fields: [], associations: [] };
  assert.deepEqual(
    (await reader.readByIds(byIds, ["1", "3"], fetch)).map(({ id }) => id),
    ["1"],
  );
});

test("lists that stand in entries of an answer are joined, and an answer without the entries is no empty list (ClickUp)", async () => {
  const reader = buildReader({
    list: { path: "/people" },
    records: "people",
    paging: { none: true },
    furtherLists: [{ records: "teams.*.people" }],
  });
  const readAll = async (body: JsonObject): Promise<string[]> => {
    const { fetch } = replay((): Reply => ({ status: 200, body: { people: [{ id: "1" }], ...body } }));
    const plan = { ...PLAN, filters: [] };
    const first = await reader.readPage(plan, undefined, fetch);
    const second = await reader.readPage(plan, first.next, fetch);
    return [...first.records, ...second.records].map(({ id }) => id);
  };
  const teams: JsonObject[] = [
    { people: [{ id: "2" }] },
    { people: [] },
    { people: [{ id: "3" }, { id: "4" }] },
    {},
  ];
  assert.deepEqual(await readAll({ teams }), ["1", "2", "3", "4"]);
  assert.deepEqual(await readAll({ teams: [] }), ["1"]);
  await assert.rejects(readAll({}), /the list of records/);
});
