/** Lists whose place the provider no longer knows, and scrolls that have gone on: they are read anew. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ProviderError } from "../calls/provider-error.ts";
import type { ProviderFetch } from "../calls/provider-fetch.ts";
import type { Checkpoint } from "../read-connector.ts";
import type { ObjectRules } from "./rules/description.ts";
import { buildDyingCursors, numberIn, open, people, PLAN, upTo, type Answer } from "./scan-fixture.ts";

/** PostHog/posthog#64704 (2026-06-18): "Square pagination cursors have a ~5 minute lifetime", then 400 for ever. */
const DEAD: Answer = { status: 400, body: { error: "Invalid cursor" } };

test("a list whose cursor died is read anew to its end, and no record is missed (Square: after 5 minutes, monday: 60)", async (t) => {
  const cursor = { from: "next", to: "query.cursor" };
  for (const refusal of [
    DEAD,
    { status: 404, body: { error: "gone" } },
    { status: 410, body: { error: "gone" } },
    // Salesforce's places belong to the session of their token; the next token's are refused so.
    { status: 401, body: { error: "session expired" } },
  ]) {
    const { scan, read, fetch } = await open(t, { paging: { cursor } }, buildDyingCursors(refusal, [2]));
    const first = await read.readPage(PLAN, undefined, fetch);
    assert.equal(first.restarted, undefined);
    const again = await read.readPage(PLAN, first.next, fetch);
    assert.deepEqual(
      again.records.map(({ id }) => id),
      upTo(2),
    );
    assert.equal(again.restarted, true);
    assert.deepEqual(await scan(), upTo(6));
  }
  const twice = await open(t, { paging: { cursor } }, buildDyingCursors(DEAD, [2, 5]));
  assert.deepEqual(await twice.scan(), [...upTo(2), ...upTo(4), ...upTo(6)]);
});

test("a token that is refused everywhere is not asked again and again behind a place", async (t) => {
  let isRevoked = false;
  const vendor = await open(t, { paging: { cursor: { from: "next", to: "query.cursor" } } }, () =>
    isRevoked
      ? { status: 401, body: { error: "token revoked" } }
      : { body: { data: people(1, 2), next: "2-0" } },
  );
  const { next } = await vendor.read.readPage(PLAN, undefined, vendor.fetch);
  isRevoked = true;
  await assert.rejects(vendor.read.readPage(PLAN, next, vendor.fetch), { kind: "unauthorized" });
  assert.equal(vendor.requests.length, 3);
});

test("a list that is refused at the same page once more fails with the provider's reason, and one whose cursors always die, too", async (t) => {
  const cursor = { from: "next", to: "query.cursor" };
  const limit = await open(t, { paging: { cursor } }, (query) =>
    numberIn(query, "cursor") === 2
      ? { status: 400, body: { error: "No more than 2 pages" } }
      : {
          body: {
            data: people(1 + numberIn(query, "cursor"), 1 + numberIn(query, "cursor")),
            next: numberIn(query, "cursor") + 1,
          },
        },
  );
  await assert.rejects(limit.scan(), /No more than 2 pages/);
  assert.equal(limit.requests.length, 6);
  const never = await open(t, { paging: { cursor } }, buildDyingCursors(DEAD, [2, 4, 6, 8, 10, 12]));
  await assert.rejects(never.scan(), /Invalid cursor/);
});

test("a first page, and a page by its number, that are refused fail at once", async (t) => {
  const first = await open(t, { paging: { cursor: { from: "next", to: "query.cursor" } } }, () => DEAD);
  await assert.rejects(first.scan(), /Invalid cursor/);
  assert.equal(first.requests.length, 1);
  const page = await open(t, { paging: { page: { to: "query.page", first: 1 } } }, (query) =>
    query.get("page") === "1" ? { body: { data: people(1, 1) } } : DEAD,
  );
  await assert.rejects(page.scan(), /Invalid cursor/);
  assert.equal(page.requests.length, 2);
});

test("a dead cursor below a bound that moves goes on at the bound, behind what was read", async (t) => {
  const asked: (string | null)[] = [];
  const { scan } = await open(
    t,
    {
      changedPath: "changed",
      paging: { cursor: { from: "next", to: "query.cursor" } },
      since: { to: "query.since", full: "2026-01-01T00:00:00Z", keyset: true },
    },
    (query) => {
      asked.push(query.get("since"));
      // All four have one time: a further page of them is asked for by the cursor.
      const one = (id: string) => ({ id, changed: "2026-02-01T00:00:00.000Z" });
      if (query.get("cursor") === null)
        return { body: { data: [one("1"), one("2")], next: asked.length < 4 ? "dead" : "alive" } };
      if (query.get("cursor") === "dead") return DEAD;
      return { body: { data: [one("3"), one("4")], next: null } };
    },
  );
  assert.deepEqual(await scan(), upTo(4));
});

/** A scroll of four pages with two records each; the provider keeps the place (Intercom: "It is not possible to continue from a specific point"). */
const scrolling = () => {
  let scrolls = 0;
  let page = 0;
  return (query: URLSearchParams): Answer => {
    const id = query.get("scroll");
    if (id === null) {
      scrolls += 1;
      page = 0;
    } else if (id !== `s${scrolls}`) return { status: 404, body: { error: "no such scroll" } };
    page += 1;
    return { body: { scroll: `s${scrolls}`, data: page > 4 ? [] : people(page * 2 - 1, page * 2) } };
  };
};
const SCROLL = { paging: { cursor: { from: "scroll", to: "query.scroll", scroll: true } } };

test("a page of a scroll whose answer was lost is not left out: the list is read anew (Intercom)", async (t) => {
  const { read, fetch } = await open(t, SCROLL, scrolling());
  const first = await read.readPage(PLAN, undefined, fetch);
  const second = await read.readPage(PLAN, first.next, fetch);
  await assert.rejects(
    read.readPage(PLAN, second.next, async (request) => {
      await fetch(request);
      throw new Error("the connection was reset");
    }),
    /reset/,
  );
  const ids: string[] = [];
  let checkpoint = second.next;
  while (checkpoint) {
    const page = await read.readPage(PLAN, JSON.parse(JSON.stringify(checkpoint)), fetch);
    assert.equal(page.restarted, ids.length === 0 ? true : undefined);
    ids.push(...page.records.map(({ id }) => id));
    checkpoint = page.next;
  }
  assert.deepEqual(ids, upTo(8));
});

test("a scroll goes on in another process, and one that is lost again and again fails and says so", async (t) => {
  const answer = scrolling();
  const one = await open(t, SCROLL, answer);
  const other = await open(t, SCROLL, answer);
  const first = await one.read.readPage(PLAN, undefined, one.fetch);
  const second = await other.read.readPage(PLAN, first.next, other.fetch);
  assert.deepEqual(
    second.records.map(({ id }) => id),
    ["3", "4"],
  );
  let checkpoint = first.next;
  await assert.rejects(async () => {
    for (let lost = 0; lost < 30; lost += 1) {
      const page = await other.read.readPage(PLAN, checkpoint, other.fetch);
      if (!page.restarted) continue;
      checkpoint = page.next;
      await other.read.readPage(PLAN, checkpoint, other.fetch);
    }
  }, /gone on with the scroll/);
});

test("an answer that is longer than may be read is asked for in smaller pages, and no record is missed (SolarWinds: layout=long)", async (t) => {
  const list = { path: "/people", pageSize: { to: "query.size", most: 8 } };
  for (const paging of [
    { offset: { to: "query.offset", more: "more" } },
    { page: { to: "query.page", first: 1, more: "more" } },
    { link: true },
  ]) {
    const { read, fetch, requests } = await open(t, { list, paging }, (query) => {
      const size = numberIn(query, "size");
      const from = numberIn(query, "offset") + (numberIn(query, "page", 1) - 1) * size;
      const next = `</people?size=${size}&offset=${from + size}>; rel="next"`;
      const more = from + size < 20;
      // The records from the ninth on are long.
      const data = people(from + 1, Math.min(20, from + size)).map(({ id }) => ({
        id,
        text: "x".repeat(Number(id) > 8 ? 100 : 1),
      }));
      return { body: { data, more }, ...(more && { headers: { link: next } }) };
    });
    const limited: ProviderFetch = async (request) => {
      const response = await fetch(request);
      if (response.text.length < 400) return response;
      throw new ProviderError({ kind: "unreadable", message: "the answer is too large" });
    };
    const ids: string[] = [];
    let restarts = 0;
    let checkpoint: Checkpoint | undefined;
    do {
      const page = await read.readPage(PLAN, checkpoint, limited);
      ids.push(...page.records.map(({ id }) => id));
      if (page.restarted) restarts += 1;
      checkpoint = page.next;
      assert.ok(requests.length < 100, "the scan ends");
    } while (checkpoint);
    assert.deepEqual([...new Set(ids)], upTo(20), JSON.stringify(paging));
    // Pages of eight become four, then two: the first eight are read twice more, and the reader is told so.
    assert.equal(restarts, paging.offset ? 0 : 2, JSON.stringify(paging));
    assert.equal(ids.length, paging.offset ? 20 : 36, JSON.stringify(paging));
  }
  const { read, fetch } = await open(t, { list, paging: { link: true } }, () => ({
    body: { data: people(1, 1) },
  }));
  const never: ProviderFetch = async (request) => {
    await fetch(request);
    throw new ProviderError({ kind: "unreadable", message: "the answer is too large" });
  };
  await assert.rejects(read.readPage(PLAN, undefined, never), /too large/);
});

/** ServiceNow/PySNC, pysnc/record.py: "Maximum execution time exceeded. Lower batch size". */
test("a page that takes the provider too long is asked for in half the size, where the description knows its words", async (t) => {
  const reason = "Transaction cancelled: maximum execution time exceeded";
  const errors = {
    okWhen: "status=success",
    message: ["error.detail"],
    texts: { [reason]: "unavailable" as const },
  };
  const answer = (query: URLSearchParams): Answer => {
    const size = numberIn(query, "size");
    const from = numberIn(query, "offset");
    const data = people(from + 1, Math.min(20, from + size));
    if (size > 4) return { body: { data: data.slice(0, 3), error: { detail: reason }, status: "failure" } };
    const next = `</people?size=${size}&offset=${from + size}>; rel="next"`;
    return { body: { data }, ...(from + size < 20 && { headers: { link: next } }) };
  };
  const paging = { link: true };
  const pageSize = { to: "query.size", most: 16 };
  const list = { path: "/people", pageSize: { ...pageSize, halvedBy: reason } };
  const whole = await open(t, { list, paging }, answer, errors);
  assert.deepEqual(await whole.scan(), upTo(20));
  const other = await open(t, { list: { path: "/people", pageSize }, paging }, answer, errors);
  await assert.rejects(other.read.readPage(PLAN, undefined, other.fetch), { kind: "unavailable" });
});

/** Twenty records by number of page; a page is as long as the query asks for. */
const numbered = (query: URLSearchParams): Answer => {
  const size = numberIn(query, "size");
  const from = (numberIn(query, "page", 1) - 1) * size;
  return { body: { data: people(from + 1, Math.min(20, from + size)) } };
};

test("a list by number of page that is half read when the size of its pages changes loses no record (Xero: 100, then 500)", async (t) => {
  const rules = (most: number) => ({
    list: { path: "/people", pageSize: { to: "query.size", most } },
    paging: { page: { to: "query.page", first: 1 } },
  });
  const readOn = async (most: number, from: Checkpoint | undefined) => {
    const { read, fetch, requests } = await open(t, rules(most), numbered);
    const ids: string[] = [];
    const restarted: boolean[] = [];
    for (let next = from; next;) {
      const page = await read.readPage(PLAN, next, fetch);
      ids.push(...page.records.map(({ id }) => id));
      restarted.push(page.restarted ?? false);
      next = page.next;
    }
    return { ids, restarted, requests };
  };
  const old = await open(t, rules(2), numbered);
  const first = await old.read.readPage(PLAN, undefined, old.fetch);
  const second = await old.read.readPage(PLAN, first.next, old.fetch);
  // Stored while pages had two records: now eight are allowed, and the run goes on with two.
  const larger = await readOn(8, second.next);
  assert.deepEqual(larger.ids, upTo(20).slice(4));
  assert.ok(larger.restarted.every((again) => !again));
  // Now only one is allowed: the number means another place.
  const smaller = await readOn(1, second.next);
  assert.deepEqual(smaller.ids, upTo(20));
  assert.deepEqual(smaller.restarted.slice(0, 2), [true, false]);
  // A checkpoint of a version that did not store the size.
  const { size: _, ...unsized } = second.next ?? {};
  const unknown = await readOn(8, unsized);
  assert.deepEqual(unknown.ids, upTo(20));
  assert.deepEqual(unknown.restarted.slice(0, 2), [true, false]);
});

/** Twenty records, in the order that the query or the path asks for; the odd ones alone below a bound. */
const sorted = (query: URLSearchParams, path: string): Answer => {
  const all =
    path === "/reversed" || query.get("order") === "down" ? people(1, 20).toReversed() : people(1, 20);
  const left = query.get("since") === null ? all : all.filter(({ id }) => Number(id) % 2 === 1);
  const from = numberIn(query, "offset") + (numberIn(query, "page", 1) - 1) * 4;
  return { body: { data: left.slice(from, from + 4), next: from + 4 < left.length ? from + 4 : null } };
};

test("a list by number or offset that is half read when its path, query or bound changes loses no record, and another one goes on", async (t) => {
  const list = { path: "/people", query: { order: "up" }, pageSize: { to: "query.size", most: 4 } };
  const [page, offset] = [
    { page: { to: "query.page", first: 1 } },
    { offset: { to: "query.offset", more: "next" } },
  ];
  /** Returns what a run delivers that reads two pages by some rules, and the others by others. */
  const upgrade = async (before: ObjectRules, later: ObjectRules, store = (stored: Checkpoint) => stored) => {
    const plan = { ...PLAN, since: new Date("2026-01-01T00:00:00Z") };
    const old = await open(t, before, sorted);
    const first = await old.read.readPage(plan, undefined, old.fetch);
    const second = await old.read.readPage(plan, first.next, old.fetch);
    const ids = [...first.records, ...second.records].map(({ id }) => id);
    const { read, fetch, requests } = await open(t, later, sorted);
    let restarts = 0;
    let next = second.next && store(second.next);
    while (next) {
      const here = await read.readPage(plan, JSON.parse(JSON.stringify(next)), fetch);
      ids.push(...here.records.map(({ id }) => id));
      if (here.restarted) restarts += 1;
      next = here.next;
      assert.ok(requests.length < 20, "the scan ends");
    }
    return { ids, restarts };
  };
  for (const paging of [page, offset]) {
    const same = { list, paging };
    // Two pages of four records; those by offset overlap by two.
    const before = paging === page ? 8 : 6;
    assert.deepEqual(await upgrade(same, same), { ids: upTo(20), restarts: 0 });
    assert.deepEqual(await upgrade(same, { ...same, changedPath: "changed" }), {
      ids: upTo(20),
      restarts: 0,
    });
    for (const later of [
      { ...list, query: { order: "down" } },
      { ...list, path: "/reversed" },
    ]) {
      const { ids, restarts } = await upgrade(same, { list: later, paging });
      assert.deepEqual(
        [...new Set(ids)].toSorted((a, b) => Number(a) - Number(b)),
        upTo(20),
      );
      assert.deepEqual([ids.length, restarts], [before + 20, 1]);
    }
    // They were read without the bound; below it, the list has the ten odd ones.
    const bounded = await upgrade(same, { ...same, since: { to: "query.since" } });
    assert.deepEqual(bounded.ids.slice(before), ["1", "3", "5", "7", "9", "11", "13", "15", "17", "19"]);
    // A version that did not store which list the place is in.
    const unknown = await upgrade(same, same, (stored) => {
      const { asked, ...others } = stored;
      assert.equal(typeof asked, "string");
      return others;
    });
    assert.deepEqual(unknown, { ids: [...upTo(before), ...upTo(20)], restarts: 1 });
  }
  // The order of a list by cursor is in the cursor.
  const cursor = { cursor: { from: "next", to: "query.offset" } };
  const later = { list: { ...list, query: { order: "up", fields: "all" } }, paging: cursor };
  assert.deepEqual(await upgrade({ list, paging: cursor }, later), { ids: upTo(20), restarts: 0 });
});

test("a list by number of page whose order is in its body is read anew when the body changes (Apollo)", async (t) => {
  const rules = (order: string): ObjectRules => ({
    list: { method: "POST", path: "/people", body: { order } },
    paging: { page: { to: "query.page", first: 1 } },
  });
  const first = await open(t, rules("up"), sorted);
  const { next } = await first.read.readPage(PLAN, undefined, first.fetch);
  const same = await first.read.readPage(PLAN, next, first.fetch);
  const other = await open(t, rules("down"), sorted);
  const anew = await other.read.readPage(PLAN, next, other.fetch);
  assert.deepEqual([same.restarted, anew.restarted], [undefined, true]);
  assert.deepEqual([same.next?.["place"], anew.next?.["place"]], [3, 2]);
});
