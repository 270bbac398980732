/** Subscriptions: their states, and the times until which changes are known. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Scope } from "../../../tests/harness/database.ts";
import { openInstallations } from "../../../tests/fixtures/installed-fixture.ts";
import { newId } from "../../../ground/ids.ts";
import {
  claimEventStreams,
  dropSelected,
  openEventStream,
  putEventStream,
  releaseEventStream,
  selectAgain,
} from "./event-streams.ts";
import type { SubscriptionClaim } from "./subscription-claim.ts";
import { commitSubscription } from "./subscription-events.ts";
import { storeReceivedEvents } from "./subscription-inbox.ts";
import { beginScan, listDeliveredHashes, requestReconciliation } from "./subscription-scans.ts";
import {
  activateSubscription,
  claimSubscriptions,
  type ClaimedSubscription,
  releaseClaim,
  listDueSubscriptions,
  listSubscriptions,
  postponeSubscription,
  recoverSubscriptions,
  syncSubscriptions,
  setFallbackSource,
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
      {
        id: newId(),
        objectName: "contacts",
        provider: "hubspot",
        ...NAMES,
        source,
        isDisabled,
        destination: "changes",
      },
    ]);
  const find = async (): Promise<SubscriptionRow> => {
    const [row] = await listSubscriptions(queries, projectId, installationId);
    assert.ok(row);
    return row;
  };
  /** Claims the subscription, and calls `run` with it. */
  const turn = async (run: (claim: SubscriptionClaim) => Promise<unknown>): Promise<void> => {
    const { claim } = await claimOne();
    await run(claim);
    await releaseClaim(queries, { ...claim, windowMs: 0 });
  };
  const claimOne = async (workerId = WORKER): Promise<ClaimedSubscription> => {
    const ids = (await listDueSubscriptions(queries, 9)).map(({ id }) => id);
    const [claimed] = await claimSubscriptions(queries, workerId, ids);
    assert.ok(claimed, "the subscription is not due");
    return claimed;
  };
  /** Stores events that wait, in this order; returns their ids. */
  const receive = async (...events: { type: string; occurredTime: Date }[]): Promise<string[]> => {
    const rows = events.map(({ type, occurredTime }) => ({
      id: newId(),
      projectId,
      provider: "hubspot",
      installationId: null,
      ...NAMES,
      recordId: "1",
      providerEventType: type,
      occurredTime,
      dedupeKey: Buffer.from(newId()),
      raw: "{}",
    }));
    await storeReceivedEvents(queries, rows, 0);
    return rows.map(({ id }) => id);
  };
  const activate = () => turn((claim) => activateSubscription(queries, { ...claim, ...NAMES, warnings: [] }));
  const openStream = async (): Promise<void> => {
    const stream = { connectionId, projectId, provider: "hubspot", ref: "r", topic: "t" };
    const { accountRef, objectKey } = NAMES;
    await putEventStream(queries, { ...stream, accountRef, selected: [objectKey] });
    assert.equal((await claimEventStreams(queries, WORKER, 9)).length, 1);
    await openEventStream(queries, { id: connectionId, workerId: WORKER });
  };
  return { queries, connectionId, installationId, sync, find, turn, claimOne, receive, activate, openStream };
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
  await turn((claim) => setFallbackSource(queries, { ...claim, ...NAMES, ...polling }));
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

const readOutcome = (id: string, hash: string) => ({
  id,
  outcome: "delivered" as const,
  reason: null,
  messageId: null,
  deliveredHash: Buffer.from(hash),
});

test("of what was delivered of a record in one commit, the last counts, whatever the times of the events", async (scope) => {
  const { queries, installationId, sync, turn, receive } = await openSubscription(scope);
  await sync("pubsub");
  // A change that was found has a time in whole seconds.
  const [deleted = "", restored = ""] = await receive(
    { type: "DELETE", occurredTime: new Date("2026-09-14T08:00:00.300Z") },
    { type: "RECONCILED", occurredTime: new Date("2026-09-14T08:00:00Z") },
  );
  const ended = [readOutcome(deleted, "gone"), readOutcome(restored, "restored")];
  await turn((claim) =>
    commitSubscription(queries, { ...claim, installationId, ended, messages: [], seen: [] }),
  );
  const one = { installationId, objectName: "contacts", recordIds: ["1"] };
  assert.equal(String((await listDeliveredHashes(queries, one)).get("1")), "restored");
});

test("a turn that outlived its claim stores nothing, although the same process has the subscription again", async (scope) => {
  const { queries, installationId, sync, claimOne, receive } = await openSubscription(scope);
  await sync("webhook");
  const [event = ""] = await receive({ type: "contact.propertyChange", occurredTime: new Date() });
  const stale = await claimOne();
  const commit = ({ claim }: ClaimedSubscription, hash: string): Promise<boolean> =>
    commitSubscription(queries, {
      ...claim,
      installationId,
      ended: [readOutcome(event, hash)],
      messages: [],
      seen: [],
    });
  // The process has lost the database for some seconds; another one takes the subscription over and delivers a newer state.
  await recoverSubscriptions(queries, WORKER);
  const other = await claimOne(WORKER + 1);
  assert.equal(await commit(other, "newer"), true);
  await releaseClaim(queries, { ...other.claim, windowMs: 0 });
  await receive({ type: "contact.propertyChange", occurredTime: new Date() });
  const again = await claimOne();
  assert.equal(await commit(stale, "older"), false);
  await releaseClaim(queries, { ...stale.claim, windowMs: 0 });
  assert.equal(await commit(again, "newest"), true);
});

test("a reconciliation from an earlier time that is requested at the begin of another one is not forgotten", async (scope) => {
  const { queries, installationId, sync, find, turn } = await openSubscription(scope);
  await sync("webhook");
  const request = (time: string): Promise<boolean> =>
    requestReconciliation(queries, {
      installationId,
      objectName: "contacts",
      since: new Date(time),
      reason: time,
    });
  const begin = (claim: SubscriptionClaim, since: string): Promise<boolean> =>
    beginScan(queries, claim, {
      kind: "reconciliation",
      id: newId(),
      reason: since,
      since,
      until: null,
      stage: "records",
      checkpoint: null,
      found: 0,
    });
  await request("2026-09-14T08:00:00Z");
  await turn(async (claim) => {
    await request("2026-09-14T07:00:00Z");
    await begin(claim, "2026-09-14T08:00:00Z");
  });
  const { reconcileSince, reconcileReason } = await find();
  assert.deepEqual(
    [reconcileSince, reconcileReason],
    [new Date("2026-09-14T07:00:00Z"), "2026-09-14T07:00:00Z"],
  );
  await turn((claim) => begin(claim, "2026-09-14T07:00:00Z"));
  assert.equal((await find()).reconcileSince, null);
});
