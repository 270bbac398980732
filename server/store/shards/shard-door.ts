/**
 * Lets connections to the database of a shard be opened while it can be used. After a failure all others fail at once, so that nobody
 * waits for a server that is away, until a check succeeds again:
 *
 *   closed → open     a check has succeeded: this database is the shard, and migrated to this version
 *   open   → closed   a connection could not be opened, and no other is open
 */
import { now } from "../../../ground/clock.ts";
import type { Log } from "../../../ground/log.ts";
import { nameAway } from "../database/database-outage.ts";

export interface ShardDoor {
  /** Throws while the door is closed: an error that means that the database is away, and that nothing was sent. */
  pass(): void;
  /** Closes the door, and checks until it can be opened. */
  noteFailure(error: unknown): void;
  /** Why it is closed; undefined while it is open. */
  readonly trouble: ShardTrouble | undefined;
  /** Ends the checks. */
  close(): Promise<void>;
}

export interface ShardTrouble {
  since: Date;
  reason: string;
}

const CHECK_EVERY_MS = 1_000;

/** Resolves after the first check, whatever it found. */
export async function openShardDoor({
  name,
  check,
  log,
}: {
  name: string;
  /** Rejects if the database cannot be used. */
  check: () => Promise<unknown>;
  log: Log;
}): Promise<ShardDoor> {
  let trouble: ShardTrouble | undefined = { since: now(), reason: "it was not checked yet" };
  let isEnded = false;
  let timer: NodeJS.Timeout | undefined;
  let checking: Promise<void> = Promise.resolve();
  const shut = (error: unknown): void => {
    const reason = error instanceof Error ? error.message || String(error) : String(error);
    if (trouble?.reason !== reason && !isEnded)
      log.error({ shard: name, reason }, "the database of a shard cannot be used: its customers wait");
    trouble = { since: trouble?.since ?? now(), reason };
    if (!isEnded) timer ??= setTimeout(checkAgain, CHECK_EVERY_MS).unref();
  };
  const tryOnce = async (): Promise<void> => {
    try {
      await check();
      if (trouble && !isEnded) log.info({ shard: name }, "the database of a shard can be used");
      trouble = undefined;
    } catch (error) {
      shut(error);
    }
  };
  const checkAgain = (): void => {
    timer = undefined;
    if (!isEnded) checking = tryOnce();
  };
  await tryOnce();
  return {
    pass() {
      if (!trouble) return;
      const message = `the database of the shard ${name} cannot be used: ${trouble.reason}`;
      throw nameAway(Object.assign(new Error(message), { code: "ECONNREFUSED", address: name }), name);
    },
    noteFailure(error) {
      nameAway(error, name);
      shut(error);
    },
    get trouble() {
      return trouble;
    },
    async close() {
      isEnded = true;
      clearTimeout(timer);
      await checking;
    },
  };
}
