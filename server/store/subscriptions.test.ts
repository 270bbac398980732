/** Subscriptions: their states, and the times until which changes are known. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Scope } from "../../tests/harness/database.ts";
import { openInstallations } from "../read/installed-fixture.ts";
import { newId } from "../ground/ids.ts";
import {
  claimEventStreams,
  dropSelected,
  openEventStream,
  putEventStream,
  releaseEventStream,
  selectAgain,
} from "./event-streams.ts";
import { listDeliveredHashes } from "./subscription-walks.ts";
import {
  activateSubscription,
  claimSubscriptions,
  endTurn,
  listDueSubscriptions,
  listSubscriptions,
  useInstead,
  postponeSubscription,
  syncSubscriptions,
  type SubscriptionRow,
  type SubscriptionSource,
} from "./subscriptions.ts";

const WORKER = 7;
const NAMES = { accountRef: "41", objectKey: "0-1" };

async function openSubscription(scope: Scope) {
  const { queries, projectId, install } = await openInstallations(scope, {});
  const { id: installationId, connectionId } = await install("one");
  const sync = (source: SubscriptionSource, isDisabled = false) =>
    syncSubscriptions(queries, { projectId, installationId }, [
      { id: newId(), objectName: "contacts", provider: "hubspot", ...NAMES, source, isDisabled },
    ]);
  const find = async (): Promise<SubscriptionRow> => {
    const [row] = await listSubscriptions(queries, projectId, installationId);
    assert.ok(row);
    return row;
  };
  /** Claims the subscription, and calls `run` with it. */
  const turn = async (run: (claim: { id: string; workerId: number }) => Promise<void>): Promise<void> => {
    const ids = (await listDueSubscriptions(queries, 9)).map(({ id }) => id);
    const [claimed] = await claimSubscriptions(queries, WORKER, ids);
    assert.ok(claimed, "the subscription is not due");
    const claim = { id: claimed.id, workerId: WORKER };
    await run(claim);
    await endTurn(queries, { ...claim, windowMs: 0 });
  };
  const activate = () => turn((claim) => activateSubscription(queries, { ...claim, ...NAMES, warnings: [] }));
  const openStream = async (): Promise<void> => {
    const stream = { connectionId, projectId, provider: "hubspot", ref: "r", topic: "t" };
    const { accountRef, objectKey } = NAMES;
    await putEventStream(queries, { ...stream, accountRef, selected: [objectKey] });
    assert.equal((await claimEventStreams(queries, WORKER, 9)).length, 1);
    await openEventStream(queries, { id: connectionId, workerId: WORKER });
  };
  return { queries, connectionId, sync, find, turn, activate, openStream };
}

test("a turn in which everything succeeds ends the state degraded, also when nothing had changed", async (scope) => {
  const { queries, sync, find, turn, activate } = await openSubscription(scope);
  await sync("polling");
  await activate();
  await turn((claim) => {
    const failed = { state: "degraded", reason: "HubSpot answered 503", attempts: 1 } as const;
    return postponeSubscription(queries, { ...claim, ...failed, retryTime: new Date(0) });
  });
  assert.deepEqual([(await find()).state, (await find()).reason], ["degraded", "HubSpot answered 503"]);
  await turn(async () => {});
  assert.deepEqual([(await find()).state, (await find()).reason], ["active", null]);
});

test("what changed between polling and the events of another source is found by a reconciliation", async (scope) => {
  const { sync, find, activate } = await openSubscription(scope);
  await sync("polling");
  await activate();
  const { polledUntil } = await find();
  assert.ok(polledUntil);
  await sync("pubsub");
  // The configuration changes once more before the stream is open.
  await sync("pubsub");
  assert.deepEqual((await find()).polledUntil, polledUntil);
  await activate();
  const row = await find();
  assert.deepEqual([row.source, row.state, row.polledUntil], ["pubsub", "active", null]);
  assert.deepEqual(row.reconcileSince, polledUntil);
  assert.match(row.reconcileReason ?? "", /Changes may be missing/);
});

test("nothing is reconciled of the time in which every event was off", async (scope) => {
  const { sync, find, activate } = await openSubscription(scope);
  await sync("polling");
  await activate();
  await sync("polling", true);
  await sync("pubsub");
  await activate();
  assert.equal((await find()).reconcileSince, null);
});

test("an object that was deselected while its subscription was switched on again is selected again", async (scope) => {
  const { queries, connectionId, sync, find, openStream, activate } = await openSubscription(scope);
  await sync("pubsub");
  await openStream();
  await activate();
  await selectAgain(queries, connectionId);
  assert.equal((await find()).state, "active");
  await dropSelected(queries, connectionId, ["0-1"]);
  await selectAgain(queries, connectionId);
  assert.equal((await find()).state, "pending");
  await activate();
  assert.ok((await find()).reconcileSince);
});

test("polling instead of a stream that fails begins before the last answer of the stream", async (scope) => {
  const { queries, connectionId, sync, find, turn, openStream, activate } = await openSubscription(scope);
  await sync("pubsub");
  await openStream();
  await activate();
  await queries
    .updateTable("subscriptions")
    .set({ createTime: new Date(0) })
    .execute();
  const heardTime = new Date("2026-09-14T08:00:00Z");
  await queries.updateTable("eventStreams").set({ heardTime }).execute();
  await releaseEventStream(queries, {
    id: connectionId,
    workerId: WORKER,
    state: "failed",
    reason: "the permission was removed",
    retryTime: null,
    attempts: 1,
    setUpAgain: true,
  });
  const polling = { source: "polling", reason: "the permission was removed", sourceRetryTime: null } as const;
  await turn((claim) => useInstead(queries, { ...claim, ...NAMES, ...polling }));
  const row = await find();
  assert.deepEqual([row.source, row.polledUntil], ["polling", new Date("2026-09-14T07:55:00Z")]);
});

test("polling that is chosen instead of a stream begins before the last answer of the stream", async (scope) => {
  const { queries, sync, find, openStream, activate } = await openSubscription(scope);
  await sync("pubsub");
  await openStream();
  await activate();
  await queries
    .updateTable("subscriptions")
    .set({ createTime: new Date(0) })
    .execute();
  await queries
    .updateTable("eventStreams")
    .set({ heardTime: new Date("2026-09-14T08:00:00Z") })
    .execute();
  await sync("pubsub");
  assert.equal((await find()).polledUntil, null);
  await sync("polling");
  assert.deepEqual((await find()).polledUntil, new Date("2026-09-14T07:55:00Z"));
});

test("of what was delivered of a record in one commit, the last counts", async (scope) => {
  const { queries, sync, find } = await openSubscription(scope);
  await sync("polling");
  const { installationId } = await find();
  const delivered = (hash: string) => ({
    id: newId(),
    installationId,
    objectName: "contacts",
    recordId: "1",
    providerEventType: "UPDATE",
    occurredTime: new Date(0),
    dedupeKey: Buffer.from(hash),
    raw: "{}",
    outcome: "delivered",
    endTime: new Date(1),
    deliveredHash: Buffer.from(hash),
  });
  const [first, last] = [delivered("first"), delivered("last")];
  await queries.insertInto("subscriptionEvents").values([first, last]).execute();
  const one = { installationId, objectName: "contacts", recordIds: ["1"] };
  assert.equal(String((await listDeliveredHashes(queries, one)).get("1")), "last");
});
