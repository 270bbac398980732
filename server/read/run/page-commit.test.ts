/** The commit of pages stores their messages as they are. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { newId } from "../../../ground/ids.ts";
import { commitReadPages, type ReadPageCommit } from "../../store/reads/read-pages.ts";
import { openInstallations, WORKER } from "../../../tests/fixtures/installed-fixture.ts";

test("messages of several pages are stored character for character, each with its size", async (t) => {
  const busbar = await openInstallations(t, { schedule: "0 0 1 1 *" });
  const texts = [
    '{"a":"plain"}',
    '{"a":"Zoë, Łódź, 東京, 🚌"}',
    '{"a":"\\u0000 \\ud83d"}',
    `{"a":"${"é".repeat(9_999)}"}`,
  ];
  const messages = texts.map((data) => ({
    id: newId(),
    projectId: busbar.projectId,
    type: "read",
    data,
    destinationId: busbar.destinationId,
    held: false,
  }));
  const pages: ReadPageCommit[] = [];
  for (const some of [messages.slice(0, 1), messages.slice(1)]) {
    const { id } = await busbar.install(newId(), { objectName: "account" });
    await busbar.sync();
    await busbar.begin(id, "scheduled");
    const { operationId } = await busbar.claim(id, "scheduled");
    const place = { untilTime: null, stage: "records", checkpoint: null } as const;
    const nothing = { metadata: {}, log: [], seen: [], fingerprints: [], forgotten: [] };
    pages.push({ operationId, workerId: WORKER, ...place, ...nothing, messages: some, release: false });
  }
  assert.equal((await commitReadPages(busbar.queries, pages)).size, 2);
  const ids = messages.map(({ id }) => id);
  const { rows } = await busbar.database.pool.query(
    "select data::text, size_bytes from events join unrouted_events on event_id = id where id = any($1) order by id",
    [ids],
  );
  const stored = messages.toSorted((a, b) => (a.id < b.id ? -1 : 1)).map(({ data }) => data);
  assert.deepEqual(
    rows,
    stored.map((data) => ({ data, size_bytes: Buffer.byteLength(data) })),
  );
});
