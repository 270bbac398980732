/** When reading waits for a destination, and when it goes on. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { sql } from "kysely";
import { OWN_LOCKS } from "../../../tests/harness/database.ts";
import { until } from "../../../tests/harness/until.ts";
import { openInstallations } from "../../../tests/fixtures/installed-fixture.ts";
import { openWaitingMessages } from "./waiting-messages.ts";

async function openBacklog(t: TestContext) {
  const { database, queries, destinationId } = await openInstallations(t);
  const add = (count: number, due: "now" | "later") =>
    sql`
      insert into deliveries (destination_id, event_id, state, due_time)
      select ${destinationId}, gen_random_uuid(), 'waiting',
        case ${due}::text when 'now' then now() else now() + interval '2 hours' end
      from generate_series(1, ${count}::integer)
    `.execute(queries);
  const setFailing = (isFailing: boolean) =>
    queries
      .updateTable("destinations")
      .set({ failingSince: isFailing ? new Date() : null })
      .execute();
  const setFailingFor = (hours: number) =>
    queries
      .updateTable("destinations")
      .set({ failingSince: new Date(Date.now() - hours * 3_600_000) })
      .execute();
  const makeDue = () => queries.updateTable("deliveries").set({ dueTime: new Date() }).execute();
  const isBehind = (minuteMs = 60_000) => {
    const waiting = openWaitingMessages(database, minuteMs);
    const ask = () => waiting.isBehind(destinationId);
    return Object.assign(ask, { stored: (messages: number) => waiting.stored(destinationId, messages) });
  };
  return { database, queries, add, setFailing, setFailingFor, makeDue, isBehind };
}

test("a destination is behind while 200 messages wait for it", async (t) => {
  const { add, isBehind } = await openBacklog(t);
  await add(199, "now");
  assert.equal(await isBehind()(), false);
  await add(1, "now");
  assert.equal(await isBehind()(), true);
});

test("messages that wait for their next attempt stop reading only while their destination fails, or if they are very many", async (t) => {
  const { add, setFailing, isBehind } = await openBacklog(t);
  await setFailing(true);
  await add(200, "later");
  assert.equal(await isBehind()(), true);
  await setFailing(false);
  assert.equal(await isBehind()(), false);
  await add(4_800, "later");
  assert.equal(await isBehind()(), true);
});

/** Replaces the clock by one that goes on only when it is told to, so that the time which statements take does not count. */
function stopClock(t: TestContext) {
  let nowMs = performance.now();
  t.mock.method(performance, "now", () => nowMs);
  /** Goes on until the answer before is no longer fresh. */
  async function later(): Promise<void> {
    nowMs += 300;
    // What keeps answers reads the clock once in a millisecond.
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  return {
    later,
    /** Asks so often, each time later. */
    async asked(ask: () => Promise<boolean>, times: number): Promise<boolean[]> {
      const answers: boolean[] = [];
      for (let count = 0; count < times; count++) {
        await later();
        answers.push(await ask());
      }
      return answers;
    },
    /** Asks until a page may be read. */
    async untilFree(ask: () => Promise<boolean>): Promise<void> {
      do await later();
      while (await ask());
    },
  };
}

test("while a destination fails, single pages at intervals find out whether it is back", async (t) => {
  const { add, setFailing, isBehind } = await openBacklog(t);
  const { asked, untilFree } = stopClock(t);
  await setFailing(true);
  await add(200, "later");
  const ask = isBehind(3_000);
  assert.equal(await ask(), true);
  await untilFree(ask);
  assert.deepEqual(await asked(ask, 2), [true, true], "one page only, however long it takes");
  ask.stored(0);
  await untilFree(ask);
  assert.equal(await ask(), true, "a page without a message is no probe, another one may be read");
  ask.stored(1);
  assert.deepEqual(await asked(ask, 2), [true, true]);
  await untilFree(ask);
});

test("reads that ask at the same time share one query, and only one of them is the page that finds out", async (t) => {
  const { database, queries, add, setFailing, isBehind } = await openBacklog(t);
  await setFailing(true);
  await add(200, "later");
  const { later } = stopClock(t);
  const ask = isBehind(1);
  assert.equal(await ask(), true);
  await later();
  // The destinations that the data side reads.
  const locked = database.dataPool ? database.data : queries;
  const answers = await locked.transaction().execute(async (locking) => {
    await sql`lock table destinations in access exclusive mode`.execute(locking);
    const asking = Array.from({ length: 3 }, () => ask());
    const waiting = async () =>
      (
        await sql`select from pg_locks where not granted and relation = 'destinations'::regclass and ${sql.raw(OWN_LOCKS)}`.execute(
          locking,
        )
      ).rows.length;
    await until(async () => (await waiting()) > 0);
    // Another statement from the same pool would wait behind those that were sent before it.
    await sql`select 1`.execute(database.data);
    assert.equal(await waiting(), 1);
    return asking;
  });
  assert.deepEqual((await Promise.all(answers)).toSorted(), [false, true, true]);
});

test("the longer a destination fails, the rarer are the pages that find out whether it is back", async (t) => {
  const { add, setFailingFor, isBehind } = await openBacklog(t);
  const { asked, untilFree } = stopClock(t);
  await setFailingFor(48);
  await add(200, "later");
  const ask = isBehind(2_000);
  assert.equal(await ask(), true);
  // Longer than the first interval, much shorter than the last one.
  assert.deepEqual(new Set(await asked(ask, 9)), new Set([true]));
  await setFailingFor(0);
  await untilFree(ask);
});

test("reading does not go on when the messages of a failing destination become due for their retry", async (t) => {
  const { add, setFailing, makeDue, isBehind } = await openBacklog(t);
  const { asked, untilFree } = stopClock(t);
  await setFailing(true);
  await add(1_000, "later");
  const ask = isBehind(1_500);
  assert.equal(await ask(), true);
  await untilFree(ask);
  ask.stored(1);
  await makeDue();
  assert.deepEqual(await asked(ask, 4), [true, true, true, true]);
});
