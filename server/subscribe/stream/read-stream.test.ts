/** Batches of a stream: stored with the position, and many rows in parts of which none moves it too early. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import type { StreamBatch } from "../../../connector-kit/stream-connector.ts";
import type { ProviderEvent } from "../../../connector-kit/subscribe-connector.ts";
import type { Scope } from "../../../tests/harness/database.ts";
import { createLog } from "../../../ground/log.ts";
import { newId } from "../../../ground/ids.ts";
import { openInstallations, WORKER } from "../../../tests/fixtures/installed-fixture.ts";
import {
  claimEventStreams,
  findEventStream,
  putEventStream,
} from "../../store/subscriptions/event-streams.ts";
import { insertProviderApp } from "../../store/connections/provider-apps.ts";
import { syncSubscriptions } from "../../store/subscriptions/subscriptions.ts";
import { LostClaimError, readStream } from "./read-stream.ts";

const NEIGHBOURS = 30;
const PROVIDER = { provider: "hubspot" };
const OBJECT = { accountRef: "41", objectKey: "0-1" };
/** Too many for one transaction. */
const NUMBERS = Array.from({ length: 400 }, (_, index) => index + 1);
const OPENED: StreamBatch = { events: [], gaps: [], position: Buffer.alloc(0) };
const END = "behind all";
const readToEnd = (events: ProviderEvent[]): StreamBatch => ({
  events,
  gaps: [],
  position: Buffer.from(END),
});

const deletion = (recordId: number, raw = "{}"): ProviderEvent => ({
  ...OBJECT,
  type: "delete",
  providerEventType: "object.deletion",
  recordId: String(recordId),
  dedupeKey: String(recordId),
  raw,
});

/** Opens a claimed journal whose account has many installations. */
async function openJournal(scope: Scope) {
  const { database, queries, projectId, install } = await openInstallations(scope, {});
  const app = { id: newId(), projectId, clientId: "app", clientSecretSealed: "", scopes: [] };
  await insertProviderApp(queries, { ...app, ...PROVIDER });
  for (let count = 0; count < NEIGHBOURS; count += 1) {
    const { id: installationId } = await install(`customer-${count}`);
    const wanted = { ...PROVIDER, ...OBJECT, objectName: "contacts", source: "journal" as const };
    const journal = { appId: app.id, filter: undefined };
    await syncSubscriptions(queries, { projectId, installationId }, [
      { ...wanted, id: newId(), isDisabled: false, destination: "changes", journal },
    ]);
  }
  const row = { ...PROVIDER, projectId, ref: "", topic: "", accountRef: "app", selected: [] };
  await putEventStream(queries, { ...row, providerAppId: app.id });
  const [stream] = await claimEventStreams(queries, WORKER, 1);
  if (!stream) throw new Error("the stream is not due");
  const deps = {
    database,
    workerId: () => WORKER,
    windowMs: 0,
    silenceMs: 60_000,
    log: createLog("silent"),
  };
  /** Reads one batch. */
  const read = (batch: StreamBatch, stop = new AbortController().signal) =>
    readStream(deps, {
      stream,
      stop,
      progress: { hasHeard: false },
      source: async function* () {
        yield OPENED;
        yield batch;
      },
    });
  const rows = async () =>
    (
      await sql<{ recordId: number; writer: string }>`
        select record_id::integer as record_id, xmin::text as writer from subscription_events
      `.execute(queries)
    ).rows;
  const position = async () => (await findEventStream(queries, stream.id))?.position?.toString();
  return { queries, stream, read, rows, position };
}

test("a batch with many rows is stored in several transactions, in order, each event once for each installation", async (scope) => {
  const { read, rows, position } = await openJournal(scope);
  await read(readToEnd(NUMBERS.map((number) => deletion(number))));
  const stored = await rows();
  assert.equal(stored.length, NUMBERS.length * NEIGHBOURS);
  const parts = Map.groupBy(stored, ({ writer }) => writer);
  assert.equal(parts.size, 3);
  let last = 0;
  for (const part of parts.values()) {
    assert.ok(part.length <= 5_000, String(part.length));
    assert.ok(part.every(({ recordId }) => recordId > last));
    last = Math.max(...part.map(({ recordId }) => recordId));
  }
  assert.equal(await position(), END);
});

test("the position stays until the whole batch is stored, and a repeated batch doubles nothing", async (scope) => {
  const { read, rows, position } = await openJournal(scope);
  const events = NUMBERS.map((number) => deletion(number));
  // PostgreSQL stores no NUL.
  const poisoned = [...events.slice(0, -1), deletion(NUMBERS.length, "\u0000")];
  await assert.rejects(read(readToEnd(poisoned)), /0x00/);
  const first = (await rows()).length;
  assert.ok(first > 0 && first < NUMBERS.length * NEIGHBOURS, String(first));
  assert.equal(await position(), undefined);
  await read(readToEnd(events));
  assert.equal((await rows()).length, NUMBERS.length * NEIGHBOURS);
  assert.equal(await position(), END);
});

test("no part is stored by a process that has lost the stream, and a stopping one stores no further part", async (scope) => {
  const { queries, read, rows, position } = await openJournal(scope);
  const batch = readToEnd(NUMBERS.map((number) => deletion(number)));
  await assert.rejects(read(batch, AbortSignal.abort(new Error("stopping"))), /stopping/);
  const first = (await rows()).length;
  assert.ok(first > 0 && first <= 5_000, String(first));
  assert.equal(await position(), undefined);
  await sql`update event_streams set claimed_by = ${WORKER + 1}`.execute(queries);
  await assert.rejects(read(batch), LostClaimError);
  assert.equal((await rows()).length, first);
});
