/**
 * Takes stored pushes apart: their events are stored for each installation in the transaction that removes the push. If the sides
 * are two databases, the events are committed first, while the push stays locked; after a crash in between it is taken again, and
 * its events are duplicates. A push is in one of these states:
 *
 *     waiting     stored; taken in order of arrival, that of a project by one process at a time. A transaction takes the
 *                 events of a limited number of rows; what is left waits in the same place
 *     postponed   an attempt failed; younger pushes go first until the next one
 *     waiting for a shard   one with customers of its project is away; its events for other shards are stored, again at each
 *                 attempt, which changes nothing
 *     set aside   the last attempt failed; its changes are found by reading, and it is kept for a person to look at until
 *                 retention removes it
 *     gone        its events are stored, or no installation subscribes to them
 */
import type { Catalog } from "../../../connector-kit/catalog.ts";
import { nowMs } from "../../../ground/clock.ts";
import type { Log } from "../../../ground/log.ts";
import { shorten } from "../../../ground/storable-text.ts";
import type { NewWork } from "../../jobs/new-work.ts";
import { startRounds, type Rounds } from "../../jobs/rounds.ts";
import type { Changes } from "../../store/database/changes.ts";
import { isDatabaseAway } from "../../store/database/database-outage.ts";
import { getDataWithin, transactControl, type Database } from "../../store/database/database.ts";
import type { ControlQueries, DataQueries } from "../../store/database/sides.ts";
import { isShardAway } from "../../store/shards/each-shard.ts";
import {
  hasPushes,
  listAwaiting,
  postponePush,
  PUSHES_CHANGE,
  putBackPushes,
  takePushes,
  type TakenPush,
} from "../../store/subscriptions/received-pushes.ts";
import {
  storeReceivedEvents,
  type ReceivedEvent,
  type StoredEvents,
} from "../../store/subscriptions/subscription-inbox.ts";
import { limitRows } from "./limit-rows.ts";
import { toReceivedEvent } from "./received-event.ts";
import type { SubscribeMeter } from "../definition/subscribe-services.ts";

interface TakePushesServices {
  database: Database;
  catalog: Catalog;
  log: Log;
  windowMs: number;
  /** Absent if metrics are off. */
  subscribeMeter?: SubscribeMeter | undefined;
}

/** Finds pushes of processes without this work, if the notification was lost. */
const LOOK_EVERY_MS = 1_000;
/** Pushes of one commit; about 1,500 events. */
const BATCH = { max: 200, maxBytes: 500_000 };
const MAX_ATTEMPTS = 5;
const RETRY_MS = 1_000;

/** Starts at once and runs until it is stopped. `onDue` is called when subscriptions have new events. */
export function startTakingPushes(
  deps: TakePushesServices & { changes: Changes; newPushes: NewWork; onDue(): void },
): Rounds {
  const take = openTaking(deps);
  const rounds = startRounds({
    what: "take pushes apart",
    log: deps.log,
    everyMs: LOOK_EVERY_MS,
    async round() {
      // Most rounds find nothing, and need no transaction for that.
      if (!(await hasPushes(deps.database.control))) return false;
      const { taken, stored } = await take();
      if (stored > 0) deps.onDue();
      return taken > 0;
    },
  });
  deps.newPushes.wakes(rounds);
  deps.changes.subscribe((change) => {
    if (change?.table === PUSHES_CHANGE) rounds.wake();
  });
  return rounds;
}

interface Taken {
  /** Pushes that were taken apart, or put back. */
  taken: number;
  stored: number;
}

/** Returns a function that takes a batch apart. Rejects only if the database is away. */
export function openTaking(deps: TakePushesServices): () => Promise<Taken> {
  /** After a batch has failed, its pushes are taken one by one, to find the one that cannot be stored. */
  let singly = 0;
  return async () => {
    const batch = { ...BATCH, max: singly > 0 ? 1 : BATCH.max };
    singly = Math.max(0, singly - 1);
    let taken: TakenPush[] = [];
    try {
      const stored = await transactControl(deps.database, async (queries) => {
        taken = await takePushes(queries, batch);
        const read = taken.map((push) => ({ push, events: readPush(deps, push) }));
        const { here, away } = await findShards(deps.database, queries, taken);
        const { events, rest } = await limitRows(here, read);
        const waiting = await listAwaiting(queries, taken, away);
        await putBackPushes(queries, waiting, AWAY_RETRY_MS);
        await putBackPushes(
          queries,
          rest.filter(({ position }) => waiting.every((push) => push.position !== position)),
        );
        return events.length > 0 ? storeEverywhere(here, events, deps.windowMs) : undefined;
      });
      if (stored) deps.subscribeMeter?.received(stored);
      return { taken: taken.length, stored: stored?.stored ?? 0 };
    } catch (error) {
      const [first] = taken;
      if (isDatabaseAway(error) || !first) throw error;
      if (taken.length > 1) singly = taken.length;
      else await putBack(deps, first, error);
      return { taken: taken.length, stored: 0 };
    }
  };
}

/** Time after which a push is tried again that waits for a shard. */
const AWAY_RETRY_MS = 15_000;

/** Returns the main shard inside the transaction, the others, and the names of those that are away. */
async function findShards(
  database: Database,
  queries: ControlQueries,
  taken: TakenPush[],
): Promise<{ here: DataQueries[]; away: string[] }> {
  const here = [getDataWithin(database, queries)];
  const away: string[] = [];
  if (taken.length > 0)
    for (const { shard, data } of database.shards.slice(1))
      if (await isShardAway(data)) away.push(shard);
      else here.push(data);
  return { here, away };
}

/** Stores events in the shards of their customers: the other ones first, since the main one commits with the push, which is then gone. */
async function storeEverywhere(
  shards: DataQueries[],
  events: ReceivedEvent[],
  windowMs: number,
): Promise<StoredEvents> {
  const sum: StoredEvents = { stored: 0, duplicates: 0, unmatched: 0 };
  let matched = 0;
  for (const queries of shards.toReversed()) {
    const one = await storeReceivedEvents(queries, events, windowMs);
    sum.stored += one.stored;
    sum.duplicates += one.duplicates;
    matched += events.length - one.unmatched;
  }
  return { ...sum, unmatched: Math.max(0, events.length - matched) };
}

/** Throws for what is no list of events: it was one when it was stored. */
function readPush({ catalog, log }: TakePushesServices, push: TakenPush): ReceivedEvent[] {
  const { projectId, provider, body } = push;
  const pushed = catalog.connector(provider)?.subscribe?.push?.readEvents(body);
  if (!pushed) throw new Error(`${provider} has no such list of events`);
  if (pushed.dropped > 0)
    log.warn(
      { projectId, provider, dropped: pushed.dropped },
      "pushed items that are no events were dropped",
    );
  return pushed.events.map((event) => toReceivedEvent(event, push));
}

async function putBack(
  { database, log }: TakePushesServices,
  push: TakenPush,
  error: unknown,
): Promise<void> {
  const attempts = push.attempts + 1;
  const isLast = attempts >= MAX_ATTEMPTS;
  const retryTime = isLast ? null : new Date(nowMs() + RETRY_MS * 2 ** push.attempts);
  await postponePush(database, { ...push, retryTime, fault: shorten(String(error), 500) });
  const { projectId, provider, position } = push;
  const line = { projectId, provider, position, attempts, err: error };
  if (isLast)
    log.error(line, "a push cannot be taken apart: it is set aside; its changes are found by reading");
  else log.warn(line, "a push could not be taken apart; trying again");
}
