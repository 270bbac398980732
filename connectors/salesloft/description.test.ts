/** Reads of Salesloft's people by the time of their change, and updates of notes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Checkpoint } from "../../connector-kit/read-connector.ts";
import { orderWrite, planRead } from "../../connector-kit/testing/order-fixture.ts";
import { replay, type Reply } from "../../connector-kit/testing/replay.ts";
import { CONNECTORS } from "../connectors.gen.ts";

const { read, write } = CONNECTORS["salesloft"] ?? {};
assert.ok(read && write);

const COUNT = 1_000;
const START_MS = Date.parse("2026-11-01T00:00:00Z");

/** A thousand people: each has another place by creation, which is that of the id, than by change, as 7 and 1,000 have no common factor. */
const PEOPLE = Array.from({ length: COUNT }, (_, index) => ({
  id: index + 1,
  updated_at: new Date(START_MS + ((index * 7) % COUNT) * 60_000).toISOString(),
}));

function answer({ path }: { path: string }): Reply {
  const query = new URL(path, "https://x.invalid").searchParams;
  assert.equal(query.get("sort_by"), "updated_at");
  const since = Date.parse(query.get("updated_at[gte]") ?? "1970-01-01T00:00:00Z");
  const found = PEOPLE.filter(({ updated_at: time }) => Date.parse(time) >= since).toSorted((a, b) =>
    a.updated_at < b.updated_at ? -1 : 1,
  );
  const [page, size] = [Number(query.get("page")), Number(query.get("per_page"))];
  const data = found.slice((page - 1) * size, page * size);
  const next = page * size < found.length ? page + 1 : null;
  return { status: 200, body: { data, metadata: { paging: { next_page: next } } } };
}

test("a run that has read 300 of 1,000 people by the time of creation reads all others by that of change", async () => {
  const ids = new Set(PEOPLE.slice(0, 300).map(({ id }) => String(id)));
  // As a version stored it that sorted by creation.
  let checkpoint: Checkpoint | undefined = {
    place: 4,
    size: 100,
    pages: 3,
    mark: "3JaJl7KQS820",
    read: 300,
    page: "nnd1TW5cC-28",
  };
  const { fetch, requests } = replay(answer);
  while (checkpoint) {
    const { records, next } = await read.readPage(planRead("people"), checkpoint, fetch);
    for (const { id } of records) ids.add(id);
    checkpoint = next;
    assert.ok(requests.length < 50, "the scan ends");
  }
  assert.equal(ids.size, COUNT);
});

/** `content` is required in `PUT /v2/notes/{id}.json` (Salesloft's OpenAPI file of 2025-02). */
test("an update of a note that leaves its text out sends the text that is there", async () => {
  const note = { data: { id: 7, content: "Asked for pens", call: null } };
  const { fetch, requests } = replay({ status: 200, body: note }, { status: 200, body: note });
  await write.write(orderWrite("notes", "update", { id: "7", fields: { call_id: 3 } }), fetch);
  assert.deepEqual(
    requests.map(({ method, path, body }) => [method, path, body]),
    [
      ["GET", "/v2/notes/7.json", undefined],
      ["PUT", "/v2/notes/7.json", { call_id: 3, content: "Asked for pens" }],
    ],
  );
});
