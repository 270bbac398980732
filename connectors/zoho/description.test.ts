/** Zoho CRM's deletions, and lists beyond the depth of its pages, as its documentation shows them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { planRead } from "../../connector-kit/testing/order-fixture.ts";
import { replay } from "../../connector-kit/testing/replay.ts";
import type { Checkpoint } from "../../connector-kit/read-connector.ts";
import { CONNECTORS } from "../connectors.gen.ts";

const { read } = CONNECTORS["zoho"] ?? {};
assert.ok(read);

/** The answer of https://www.zoho.com/crm/developer/docs/api/v2/get-deleted-records.html, with the members of zoho/crm-oas v8.0 (2025-06-27). */
const gone = (id: string, more: boolean) => ({
  status: 200,
  body: {
    data: [
      {
        deleted_by: { name: "Bruce Wills", id: "1386586000000078001" },
        id,
        display_name: "Deb",
        type: "recycle",
        created_by: { name: "Bruce Wills", id: "1386586000000078001" },
        deleted_time: "2018-02-13T15:48:13+05:30",
      },
    ],
    info: { per_page: 200, count: 1, page: 1, more_records: more },
  },
});

test("deleted records are reported from a list of their own, by its pages, and its parameters alone are sent", async () => {
  const { fetch, requests } = replay(gone("1386586000002572002", true), gone("1386586000002025064", false));
  const period = {
    objectName: "Leads",
    since: new Date("2018-02-13T10:00:00Z"),
    until: new Date("2018-02-13T11:00:00Z"),
  };
  const first = await read.readDeletions(period, undefined, fetch);
  const second = await read.readDeletions(period, first.next, fetch);
  assert.equal(second.next, undefined);
  assert.deepEqual(
    [...first.records, ...second.records].map(({ id, deletedTime }) => [id, deletedTime?.toISOString()]),
    [
      ["1386586000002572002", "2018-02-13T10:18:13.000Z"],
      ["1386586000002025064", "2018-02-13T10:18:13.000Z"],
    ],
  );
  assert.deepEqual(
    requests.map(({ method, path }) => [method, path]),
    [
      ["GET", "/crm/v6/Leads/deleted?type=all&per_page=200&page=1"],
      ["GET", "/crm/v6/Leads/deleted?type=all&per_page=200&page=2"],
    ],
  );
  assert.equal(requests[0]?.headers?.["if-modified-since"], "2018-02-13T09:59:59Z");
});

test("a deleted record that is restored while deletions are read hides no other one", async () => {
  const all = Array.from({ length: 250 }, (_, index) => String(1386586000002000000 + index * 1000));
  let listed = all;
  const { fetch } = replay(({ path }) => {
    const { searchParams } = new URL(path, "https://x.invalid");
    const [page, size] = ["page", "per_page"].map((name) => Number(searchParams.get(name)));
    const from = ((page ?? 1) - 1) * (size ?? 200);
    const shown = listed.slice(from, from + (size ?? 200));
    const more_records = from + shown.length < listed.length;
    // Restored records leave the list of deleted ones.
    listed = all.filter((id) => id !== all[5]);
    const data = shown.map((id) => ({ id, deleted_time: "2018-02-13T10:18:13+00:00", type: "recycle" }));
    return { status: 200, body: { data, info: { page: page ?? 1, per_page: size ?? 200, more_records } } };
  });
  const period = {
    objectName: "Leads",
    since: new Date("2018-02-13T10:00:00Z"),
    until: new Date("2018-02-13T11:00:00Z"),
  };
  const told = new Set<string>();
  let place: Checkpoint | undefined;
  do {
    const page = await read.readDeletions(period, place, fetch);
    for (const { id } of page.records) told.add(id);
    place = page.next;
  } while (place);
  assert.deepEqual(
    all.filter((id) => !told.has(id)),
    [],
  );
});

test("no deletions are one answer without content", async () => {
  const { fetch } = replay({ status: 204 });
  const period = { objectName: "Contacts", since: new Date(0), until: new Date() };
  assert.deepEqual(await read.readDeletions(period, undefined, fetch), { records: [] });
});

/** "You can fetch up to 100,000 records" by page tokens: https://www.zoho.com/crm/developer/docs/api/v7/get-records.html */
test("a full read goes on from the time of the last record, so that no depth of pages ends it", async () => {
  const page = (ids: number[], more: boolean) => ({
    status: 200,
    body: {
      data: ids.map((id) => ({ id: String(id), Modified_Time: `2026-01-0${id}T00:00:00+00:00` })),
      info: { more_records: more, next_page_token: more ? "token" : null },
    },
  });
  const { fetch, requests } = replay(page([1, 2], true), page([2, 3], false));
  const ids: string[] = [];
  let checkpoint: Checkpoint | undefined;
  do {
    const { records, next } = await read.readPage(
      planRead("Deals", { fields: ["Deal_Name"] }),
      checkpoint,
      fetch,
    );
    ids.push(...records.map(({ id }) => id));
    checkpoint = next;
  } while (checkpoint);
  assert.deepEqual(ids, ["1", "2", "3"]);
  assert.deepEqual(
    requests.map(({ path, headers }) => [
      new URLSearchParams(path.split("?")[1]).get("sort_by"),
      headers?.["if-modified-since"],
    ]),
    [
      ["Modified_Time", "1970-01-01T00:00:00Z"],
      ["Modified_Time", "2026-01-01T23:59:59Z"],
    ],
  );
});
