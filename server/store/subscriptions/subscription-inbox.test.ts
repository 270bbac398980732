/** The inbox of subscriptions: events are stored once for each installation that subscribes to them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { openInstallations } from "../../../tests/fixtures/installed-fixture.ts";
import { newId } from "../../../ground/ids.ts";
import { listReadyEvents } from "./subscription-events.ts";
import { storeReceivedEvents, type ReceivedEvent } from "./subscription-inbox.ts";
import {
  claimSubscriptions,
  listDueSubscriptions,
  listSubscriptions,
  syncSubscriptions,
} from "./subscriptions.ts";

test("an event is stored once per installation of its account, makes it due, and counts duplicates", async (scope) => {
  const { queries, projectId, install } = await openInstallations(scope, {});
  const [one, two, other] = [await install("one"), await install("two"), await install("other")];
  for (const [index, { id }] of [one, two, other].entries()) {
    await syncSubscriptions(queries, { projectId, installationId: id }, [
      {
        id: newId(),
        objectName: "contacts",
        provider: "hubspot",
        accountRef: index < 2 ? "41" : "42",
        objectKey: "0-1",
        source: "webhook",
        isDisabled: false,
        destination: "changes",
      },
    ]);
  }
  const event = (change: Partial<ReceivedEvent> = {}): ReceivedEvent => ({
    id: newId(),
    projectId,
    provider: "hubspot",
    installationId: null,
    accountRef: "41",
    objectKey: "0-1",
    recordId: "501",
    providerEventType: "contact.creation",
    occurredTime: new Date(),
    dedupeKey: Buffer.from("k1"),
    raw: "{}",
    ...change,
  });
  const only = event({ dedupeKey: Buffer.from("k2"), installationId: two.id });
  const unknown = event({ accountRef: "43" });
  assert.deepEqual(await storeReceivedEvents(queries, [event(), event(), only, unknown], 0), {
    stored: 3,
    duplicates: 2,
    unmatched: 1,
  });
  const ready = async (installationId: string) =>
    (await listReadyEvents(queries, { installationId, objectName: "contacts" }, { windowMs: 0, max: 9 }))
      .length;
  assert.deepEqual([await ready(one.id), await ready(two.id), await ready(other.id)], [1, 2, 0]);
  const [row] = await listSubscriptions(queries, projectId, two.id);
  assert.deepEqual([row?.received, row?.duplicates], [2, 1]);
  const due = await listDueSubscriptions(queries, 10);
  assert.equal(due.length, 3);
  const claimed = await claimSubscriptions(
    queries,
    7,
    due.map(({ id }) => id),
  );
  assert.equal(claimed.length, 3);
  assert.deepEqual(await listDueSubscriptions(queries, 10), []);
});

test("an event waits for the window of its record", async (scope) => {
  const { queries, projectId, install } = await openInstallations(scope, {});
  const { id: installationId } = await install("one");
  await syncSubscriptions(queries, { projectId, installationId }, [
    {
      id: newId(),
      objectName: "contacts",
      provider: "hubspot",
      accountRef: "41",
      objectKey: "0-1",
      source: "webhook",
      isDisabled: false,
      destination: "changes",
    },
  ]);
  const event = {
    id: newId(),
    projectId,
    provider: "hubspot",
    installationId: null,
    accountRef: "41",
    objectKey: "0-1",
    recordId: "501",
    providerEventType: "contact.creation",
    occurredTime: new Date(),
    dedupeKey: Buffer.from("k1"),
    raw: "{}",
  };
  await storeReceivedEvents(queries, [event], 60_000);
  const of = { installationId, objectName: "contacts" };
  assert.deepEqual(await listReadyEvents(queries, of, { windowMs: 60_000, max: 9 }), []);
  assert.equal((await listReadyEvents(queries, of, { windowMs: 0, max: 9 })).length, 1);
});
