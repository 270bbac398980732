/** Outages in which pushes are lost, and events that were removed while they waited: both request reconciliations. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Scope } from "../../../tests/harness/database.ts";
import { openInstallations } from "../../../tests/fixtures/installed-fixture.ts";
import { newId } from "../../../ground/ids.ts";
import { notePushesAccepted } from "./push-watch.ts";
import { removeSubscriptionEventsBefore } from "./subscription-events.ts";
import { storeReceivedEvents } from "./subscription-inbox.ts";
import { listSubscriptions, syncSubscriptions, type SubscriptionSource } from "./subscriptions.ts";

const NAMES = { accountRef: "41", objectKey: "0-1" };
const HOUR_MS = 3_600_000;

async function openSubscriptions(scope: Scope) {
  const { queries, projectId, install } = await openInstallations(scope, {});
  const subscribe = async (name: string, source: SubscriptionSource): Promise<string> => {
    const { id: installationId } = await install(name);
    await syncSubscriptions(queries, { projectId, installationId }, [
      {
        id: newId(),
        objectName: "contacts",
        provider: "hubspot",
        ...NAMES,
        source,
        isDisabled: false,
        destination: "changes",
      },
    ]);
    await queries.updateTable("subscriptions").set({ state: "active" }).execute();
    return installationId;
  };
  const find = async (installationId: string) => {
    const [row] = await listSubscriptions(queries, projectId, installationId);
    assert.ok(row);
    return row;
  };
  return { queries, projectId, subscribe, find };
}

test("after an outage that was too long, pushed subscriptions are reconciled from its begin", async (scope) => {
  const { queries, subscribe, find } = await openSubscriptions(scope);
  const [pushed, polled] = [await subscribe("pushed", "webhook"), await subscribe("polled", "polling")];
  assert.equal(await notePushesAccepted({ control: queries, shards: [{ data: queries }] }, 20 * HOUR_MS), 0);
  assert.equal(await notePushesAccepted({ control: queries, shards: [{ data: queries }] }, 20 * HOUR_MS), 0);
  const aliveTime = new Date(Date.now() - 21 * HOUR_MS);
  await queries.updateTable("pushWatch").set({ aliveTime }).execute();
  await queries
    .updateTable("subscriptions")
    .set({ createTime: new Date(0) })
    .execute();
  assert.equal(await notePushesAccepted({ control: queries, shards: [{ data: queries }] }, 20 * HOUR_MS), 1);
  assert.equal(await notePushesAccepted({ control: queries, shards: [{ data: queries }] }, 20 * HOUR_MS), 0);
  const row = await find(pushed);
  assert.deepEqual(row.reconcileSince, aliveTime);
  assert.match(row.reconcileReason ?? "", /Pushes were not accepted/);
  assert.equal((await find(polled)).reconcileSince, null);
});

test("waiting events that are removed request a reconciliation from the oldest on, ended ones none", async (scope) => {
  const { queries, projectId, subscribe, find } = await openSubscriptions(scope);
  const installationId = await subscribe("one", "webhook");
  const event = (recordId: string, hours: number) => ({
    id: newId(),
    projectId,
    provider: "hubspot",
    installationId: null,
    ...NAMES,
    recordId,
    providerEventType: "contact.creation",
    occurredTime: new Date(hours * HOUR_MS),
    dedupeKey: Buffer.from(recordId),
    raw: "{}",
  });
  await storeReceivedEvents(queries, [event("ended", 1), event("first", 2), event("second", 3)], 0);
  await queries
    .updateTable("subscriptionEvents")
    .set({ outcome: "delivered", receivedTime: new Date(0) })
    .where("recordId", "=", "ended")
    .execute();
  assert.equal(await removeSubscriptionEventsBefore(queries, new Date(HOUR_MS), 9), 1);
  assert.equal((await find(installationId)).reconcileSince, null);
  assert.equal(await removeSubscriptionEventsBefore(queries, new Date(Date.now() + HOUR_MS), 9), 2);
  const row = await find(installationId);
  assert.deepEqual(row.reconcileSince, new Date(2 * HOUR_MS));
  assert.match(row.reconcileReason ?? "", /waited for so long/);
});
