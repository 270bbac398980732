/** Next pages that an answer names in a way that is easily taken for none: a list must not end there as if it were whole. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { open, people, PLAN, upTo, type Answer } from "./scan-fixture.ts";

const cursor = { from: "page.end", to: "query.after", more: "page.more" };

test("a list of which the answer says that records follow, without saying where, fails", async (t) => {
  const byCursor = await open(t, { paging: { cursor } }, () => ({
    body: { data: people(1, 2), page: { more: true, end: null } },
  }));
  await assert.rejects(byCursor.scan(), /says that records follow, but not where: `page\.end`/);
  const byUrl = await open(t, { paging: { nextUrl: { from: "next", last: "last" } } }, () => ({
    body: { data: people(1, 2), last: false },
  }));
  await assert.rejects(byUrl.scan(), /says that records follow, but not where: `next`/);
});

// proto3 in JSON leaves out what is false; a flag that is left out beside a cursor is no end of its own.
test("a flag that is left out ends a list at an empty page only", async (t) => {
  const pages: Record<string, Answer> = {
    "": { body: { data: people(1, 2), page: { more: true, end: "b" } } },
    b: { body: { data: people(3, 4), page: { end: "c" } } },
    c: { body: { data: [], page: { end: "d" } } },
  };
  const { scan, requests } = await open(t, { paging: { cursor } }, (query) => {
    const page = pages[query.get("after") ?? ""];
    assert.ok(page);
    return page;
  });
  assert.deepEqual(await scan(), upTo(4));
  assert.equal(requests.length, 3);
});

// JSON:API 1.1, "Links": a link is a text, an object with `href`, or null.
test("an address or a cursor that is an object is a fault, not the end", async (t) => {
  const links = await open(t, { paging: { nextUrl: { from: "links.next" } } }, () => ({
    body: { data: people(1, 2), links: { next: { href: "https://vendor.example/people?page=2" } } },
  }));
  await assert.rejects(links.scan(), /should be a text, but `links\.next` is an object with `href`/);
  const counted = { page: { to: "query.page", first: 1, next: "links.next" } };
  const numbers = await open(t, { paging: counted }, () => ({
    body: { data: people(1, 2), links: { next: { href: "https://vendor.example/people?page=2" } } },
  }));
  await assert.rejects(numbers.scan(), /`links\.next` is an object/);
  const cursors = await open(t, { paging: { cursor: { from: "next", to: "query.after" } } }, () => ({
    body: { data: people(1, 2), next: { after: "b" } },
  }));
  await assert.rejects(cursors.scan(), /`next` is an object with `after`/);
});

test("an empty object in the place of a cursor is the end", async (t) => {
  const { scan } = await open(t, { paging: { cursor: { from: "next", to: "query.after" } } }, () => ({
    body: { data: people(1, 2), next: {} },
  }));
  assert.deepEqual(await scan(), upTo(2));
});

// RFC 8288: names of relations are compared without regard to case, parameters come in any order, and quoted ones may have commas.
for (const next of [
  `</people?page=2>; rel=next`,
  `</people?page=2>; rel="Next"`,
  `</people?page=2>; REL="next"`,
  `</people?page=2>; rel="last next"`,
  `</people?page=2>; title="people, the second page"; rel="next"`,
  `</people?page=9>; rel="last", </people?page=2>;rel="next";title="a, b"`,
])
  test(`a next page is found in \`Link: ${next}\``, async (t) => {
    const { scan } = await open(t, { paging: { link: true } }, (query) =>
      query.get("page") === "2"
        ? { body: { data: people(3, 4) }, headers: { link: `</people?page=1>; rel="prev"` } }
        : { body: { data: people(1, 2) }, headers: { link: next } },
    );
    assert.deepEqual(await scan(), upTo(4));
  });

// RFC 5005 knows `next-archive`, which is another relation.
test("a relation that only begins or ends like that of the next page is another one", async (t) => {
  const { scan } = await open(t, { paging: { link: true } }, () => ({
    body: { data: people(1, 2) },
    headers: { link: `</people?page=2>; rel="next-archive", </people?page=3>; rel=prev; title="next"` },
  }));
  assert.deepEqual(await scan(), upTo(2));
});

// RFC 9110, 15.4.5: only a request with a condition can be answered so.
test("304 is no empty list where nothing was asked about a change", async (t) => {
  const rules = {
    changedPath: "updated",
    since: { to: "header.if-modified-since", format: "http" as const },
    paging: { none: true },
  };
  const { scan } = await open(t, rules, () => ({ status: 304, body: undefined }));
  await assert.rejects(scan(), { kind: "unavailable" });
  assert.deepEqual(await scan({ ...PLAN, since: new Date("2026-11-20T00:00:00Z") }), []);
});
