/** The inbox: stores the events of requests that arrive together in one commit. */
import { sharedCommit, type SharedCommit } from "../jobs/shared-commit.ts";
import type { Database } from "../store/database.ts";
import { storeReceivedEvents, type ReceivedEvent } from "../store/subscription-inbox.ts";
import type { SubscribeMeter } from "./subscribe-services.ts";

export type Inbox = SharedCommit<ReceivedEvent[]>;

/** A commit of more takes so long that providers give up. */
const MOST_EVENTS = 1_000;

export const openInbox = (deps: {
  database: Database;
  windowMs: number;
  subscribeMeter?: SubscribeMeter | undefined;
}): Inbox =>
  sharedCommit(
    async (pushes) => {
      const events = pushes.flat();
      if (events.length === 0) return;
      const stored = await storeReceivedEvents(deps.database.queries, events, deps.windowMs);
      deps.subscribeMeter?.received(stored);
    },
    { mostItems: MOST_EVENTS, sizeOf: (events) => Math.max(1, events.length) },
  );
