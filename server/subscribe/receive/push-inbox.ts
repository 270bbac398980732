/** The inbox of pushes: stores requests that arrive together in one commit, and tells who takes them apart. */
import { elapsedMs } from "../../../ground/clock.ts";
import type { NewWork } from "../../jobs/new-work.ts";
import { openSharedCommit } from "../../jobs/shared-commit.ts";
import type { Database } from "../../store/database/database.ts";
import {
  countWaitingPushes,
  insertPushes,
  type NewPush,
  type WaitingPushes,
} from "../../store/subscriptions/received-pushes.ts";

export interface PushInbox {
  /** Resolves when the push is committed. */
  add(push: NewPush): Promise<void>;
  /** Returns whether another push of the project can be taken, by the number of waiting pushes a second ago. */
  hasCapacity(projectId: string): boolean;
}

/** A larger commit takes so long that providers time out. */
const MAX_BYTES = 2_000_000;
/** Minimum size counted for a push, so that one statement stores at most 200. */
const LEAST_BYTES = 10_000;

/**
 * Pushes can arrive faster than they are taken apart. When so many wait, further ones are refused, so that they do not fill the
 * disk; providers send them again for about a day. The limit is some millions of events.
 */
const MAX_WAITING = { pushes: 50_000, bytes: 1_000_000_000 };
/** The share that one project may use, so that there is capacity for the others. */
const SHARE = 0.5;
const LOOK_EVERY_MS = 1_000;

export const openPushInbox = ({
  database,
  newPushes,
}: {
  database: Database;
  newPushes: NewWork;
}): PushInbox => ({
  ...openSharedCommit<NewPush>(
    async (pushes) => {
      await insertPushes(database.control, pushes, { tells: !newPushes.hasWorker });
      newPushes.announce();
    },
    { maxItems: MAX_BYTES, measureSize: ({ body }) => Math.max(LEAST_BYTES, body.length) },
  ),
  hasCapacity: openCapacityCheck(database),
});

/** Returns a function that tells at once what the last check found, and checks again in the background. */
function openCapacityCheck({ control }: Database): PushInbox["hasCapacity"] {
  let hasCapacity = true;
  let full = new Set<string>();
  let nextMs = 0;
  const check = async (): Promise<void> => {
    const waiting = await countWaitingPushes(control, MAX_WAITING.pushes);
    const addSizes = (of: "pushes" | "bytes") => waiting.reduce((sum, one) => sum + one[of], 0);
    hasCapacity = addSizes("pushes") < MAX_WAITING.pushes && addSizes("bytes") < MAX_WAITING.bytes;
    const isFull = ({ pushes, bytes }: WaitingPushes): boolean =>
      pushes >= SHARE * MAX_WAITING.pushes || bytes >= SHARE * MAX_WAITING.bytes;
    full = new Set(waiting.filter(isFull).map(({ projectId }) => projectId));
  };
  return (projectId) => {
    if (elapsedMs() >= nextMs) {
      nextMs = elapsedMs() + LOOK_EVERY_MS;
      // Without a database the push is refused anyway.
      void check().catch(() => {});
    }
    return hasCapacity && !full.has(projectId);
  };
}
