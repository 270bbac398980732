/** The claim loop: what it claims, runs, gives back and recovers, with a queue in memory. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { until } from "../../tests/harness/until.ts";
import { createLog } from "../../ground/log.ts";
import { startClaimLoop, type ClaimLoopOptions, type ClaimSource } from "./claim-loop.ts";

interface Job {
  id: string;
  key: string;
}

/** Longer than a test may take: only a wake can end a rest. */
const NEVER_MS = 600_000;

/** A run that lasts until the end of the test; create it before the loop, which waits for it when it stops. */
function untilTheEnd(t: TestContext): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  t.after(() => resolve());
  return promise;
}

/** A queue of jobs in memory; `claimed` names those that somebody holds. */
function openQueue(jobs: Job[]) {
  const queued = [...jobs];
  const claimed = new Map<string, Job>();
  const giveBack = (given: Job[]): void => {
    for (const job of given) if (claimed.delete(job.id)) queued.push(job);
  };
  const source: ClaimSource<Job> = {
    async claim(limit, capacity) {
      const taken = new Map<string, number>();
      const fits = ({ key }: Job): boolean => {
        const already = taken.get(key) ?? 0;
        taken.set(key, already + 1);
        return already < capacity(key, toGroup(key));
      };
      const free = queued.filter(fits).slice(0, limit);
      for (const job of free) {
        queued.splice(queued.indexOf(job), 1);
        claimed.set(job.id, job);
      }
      return free;
    },
    release: async (given) => giveBack(given),
    postpone: async (job) => giveBack([job]),
    recover: async (held) => giveBack([...claimed.values()].filter((job) => !held.includes(job))),
    nextDueMs: async () => undefined,
  };
  return { queued, claimed, source, settle: ({ id }: Job) => void claimed.delete(id) };
}

/** `project/key`, or a group of its own for each key. */
const toGroup = (key: string): string => key.split("/")[0] ?? key;

const listJobs = (key: string, count: number): Job[] =>
  Array.from({ length: count }, (_, index) => ({ id: `${key} ${index}`, key }));

type TestOptions = Pick<ClaimLoopOptions<Job>, "source" | "run"> & Partial<ClaimLoopOptions<Job>>;

function start(t: TestContext, options: TestOptions) {
  const loop = startClaimLoop<Job>({
    what: "jobs",
    log: createLog("silent"),
    work: () => ({ tracer: undefined, caller: undefined, ids: {}, name: "job", kind: "internal" }),
    getId: ({ id }) => id,
    getKey: ({ key }) => key,
    getGroup: ({ key }) => toGroup(key),
    unblocksOthers: () => true,
    pollMs: NEVER_MS,
    ...options,
  });
  t.after(() => loop.stop());
  return loop;
}

test("an item that becomes due while a claim is under way is claimed at once, not after the next poll", async (t) => {
  const queue = openQueue([]);
  const ran: string[] = [];
  let isLate = false;
  const loop = start(t, {
    source: {
      ...queue.source,
      async claim(limit, capacity) {
        const found = await queue.source.claim(limit, capacity);
        if (!isLate) {
          isLate = true;
          // The claim has seen nothing, and its answer is on its way.
          queue.queued.push({ id: "late", key: "a" });
          loop.wake();
          await wait(5);
        }
        return found;
      },
    },
    run: async (job, onAnswer) => {
      ran.push(job.id);
      onAnswer("sent");
      queue.settle(job);
    },
  });
  await until(() => ran.length === 1);
});

test("updates of one record, each of which waits for the one before, do not wait for a poll", async (t) => {
  const chain = listJobs("a", 50);
  const queue = openQueue(chain.splice(0, 1));
  const ran: string[] = [];
  start(t, {
    source: {
      ...queue.source,
      async claim(limit, capacity) {
        const found = await queue.source.claim(limit, capacity);
        await wait(8);
        return found;
      },
    },
    run: async (job, onAnswer) => {
      ran.push(job.id);
      await wait(3);
      // The answer starts a claim; the update ends, and frees the next one, while that claim is under way.
      onAnswer("sent");
      await wait(5);
      queue.settle(job);
      queue.queued.push(...chain.splice(0, 1));
    },
  });
  await until(() => ran.length === 50);
});

test("a chain of items is handed over from one to the next, without a claim for each", async (t) => {
  const chain = listJobs("a", 200);
  const queue = openQueue(chain.splice(0, 1));
  const ran: string[] = [];
  let claims = 0;
  start(t, {
    source: {
      ...queue.source,
      claim: (limit, capacity) => {
        claims += 1;
        return queue.source.claim(limit, capacity);
      },
      claimSuccessors: async () => {
        const next = chain.splice(0, 1);
        for (const job of next) queue.claimed.set(job.id, job);
        return next;
      },
    },
    run: async (job, onAnswer) => {
      ran.push(job.id);
      onAnswer("sent");
      queue.settle(job);
    },
  });
  await until(() => ran.length === 200);
  assert.ok(claims < 50, String(claims));
});

test("a key with many items leaves slots for the others", async (t) => {
  const queue = openQueue([...listJobs("large", 200), ...listJobs("small", 1)]);
  const running: string[] = [];
  const theEnd = untilTheEnd(t);
  start(t, {
    source: queue.source,
    run: async ({ id }) => {
      running.push(id);
      await theEnd;
    },
  });
  await until(() => running.includes("small 0"));
  assert.equal(running.length, 17);
});

test("when a key is rate limited, its waiting items go back to the queue", async (t) => {
  const queue = openQueue(listJobs("a", 41));
  let running = 0;
  const limited = Promise.withResolvers<void>();
  const theEnd = untilTheEnd(t);
  start(t, {
    source: queue.source,
    run: async (job, onAnswer) => {
      // A quick answer: items of this key may wait here.
      if (job.id !== "a 0") {
        running += 1;
        await (job.id === "a 1" ? limited.promise : theEnd);
      }
      onAnswer(job.id === "a 0" ? "sent" : "rate-limited");
      queue.settle(job);
    },
  });
  await until(() => running === 16 && queue.claimed.size === 40);
  limited.resolve();
  await until(() => queue.queued.length === 24);
  assert.equal(queue.claimed.size, 15);
});

test("items whose claim was answered with an error are recovered, and those held here are left alone", async (t) => {
  const queue = openQueue(listJobs("a", 1));
  const ran: string[] = [];
  const theEnd = untilTheEnd(t);
  let fails = false;
  const loop = start(t, {
    source: {
      ...queue.source,
      async claim(limit, capacity) {
        const found = await queue.source.claim(limit, capacity);
        if (!fails) return found;
        fails = false;
        throw new Error("the answer was lost");
      },
    },
    run: async ({ id }) => {
      ran.push(id);
      await theEnd;
    },
  });
  await until(() => ran.length === 1);
  fails = true;
  queue.queued.push({ id: "lost", key: "b" });
  loop.wake();
  await until(() => queue.claimed.has("lost"));
  loop.wake();
  await until(() => ran.includes("lost"));
  assert.deepEqual(ran, ["a 0", "lost"]);
});

test("an item whose run fails for a reason of ours is tried again", async (t) => {
  const queue = openQueue(listJobs("a", 1));
  let attempts = 0;
  start(t, {
    source: queue.source,
    run: async (job, onAnswer) => {
      attempts += 1;
      if (attempts === 1) throw new Error("a fault of ours");
      onAnswer("sent");
      queue.settle(job);
    },
  });
  await until(() => attempts === 2);
  await until(() => queue.claimed.size === 0);
});

test("a stop gives back what has not begun and waits for what runs", async (t) => {
  const queue = openQueue(listJobs("a", 21));
  const running: (() => void)[] = [];
  const loop = start(t, {
    source: queue.source,
    run: (job, onAnswer) =>
      new Promise((resolve) => {
        const end = (): void => {
          onAnswer("sent");
          queue.settle(job);
          resolve();
        };
        // A quick answer: items of this key may wait here.
        if (job.id === "a 0") end();
        else running.push(end);
      }),
  });
  await until(() => running.length === 16 && queue.claimed.size === 20);
  let stopped = false;
  const stopping = loop.stop().then(() => (stopped = true));
  await until(() => queue.queued.length === 4);
  assert.equal(stopped, false);
  running.forEach((end) => end());
  await stopping;
  assert.equal(running.length, 16, "nothing began after the stop");
  assert.equal(queue.claimed.size, 0);
});

test("the queue is not asked again for a key of which it had no more, although other keys have a long queue", async (t) => {
  const end = untilTheEnd(t);
  const queue = openQueue([...listJobs("p/short", 3), ...listJobs("p/long", 40)]);
  let claims = 0;
  let settled = 0;
  const loop = start(t, {
    unblocksOthers: () => false,
    source: {
      ...queue.source,
      async claim(limit, capacity) {
        claims += 1;
        return queue.source.claim(limit, capacity);
      },
    },
    async run(job, onAnswer) {
      if (job.key === "p/long") return end;
      onAnswer("sent");
      queue.settle(job);
      settled += 1;
    },
  });
  await until(() => settled === 3);
  queue.queued.push(...listJobs("p/new", 1));
  loop.wake();
  await until(() => settled === 4);
  assert.equal(claims, 2);
});
