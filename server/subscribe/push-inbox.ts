/** The inbox of pushes: stores requests that arrive together in one commit, and tells who takes them apart. */
import { sharedCommit, type SharedCommit } from "../jobs/shared-commit.ts";
import type { Database } from "../store/database.ts";
import { insertPushes, type NewPush } from "../store/received-pushes.ts";

export type PushInbox = SharedCommit<NewPush>;

/** What takes pushes apart in this process; without a listener, other processes do. */
export interface OnPushes {
  listener?: () => void;
}

/** A commit of more takes so long that providers give up. */
const MOST_BYTES = 2_000_000;
/** As so many bytes a push counts at least, so that a statement has at most 200. */
const LEAST_BYTES = 10_000;

export const openPushInbox = ({
  database,
  onPushes,
}: {
  database: Database;
  onPushes: OnPushes;
}): PushInbox =>
  sharedCommit(
    async (pushes) => {
      const { listener } = onPushes;
      await insertPushes(database.queries, pushes, { tells: listener === undefined });
      listener?.();
    },
    { mostItems: MOST_BYTES, sizeOf: ({ body }) => Math.max(LEAST_BYTES, body.length) },
  );
