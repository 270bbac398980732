/** What of a batch the receiver has already. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { dropRepeats } from "./drop-repeats.ts";
import type { EventGroup } from "./group-events.ts";

const STATE = Buffer.alloc(16, 1);
const FORMER = Buffer.alloc(16, 2);

function group(id: string, seconds: number, isFound?: true): EventGroup {
  const shown: EventGroup["shown"] = {
    id,
    objectKey: "0-1",
    recordId: "501",
    type: "update",
    providerEventType: "object.propertyChange",
    time: new Date(Date.UTC(2026, 8, 14) + seconds * 1_000),
    raw: "",
    ...(isFound && { isFound }),
  };
  return { shown, events: [shown], changedFields: ["email"] };
}

const left = (groups: EventGroup[], reported: EventGroup[]): string[] => {
  const fingerprints = new Map([["501", STATE]]);
  const delivered = new Map([["501", FORMER]]);
  const { groups: kept, hashes } = dropRepeats(groups, {
    fingerprints,
    delivered,
    reported: new Set(reported),
  });
  assert.deepEqual(
    hashes,
    kept.map(() => STATE),
  );
  return kept.map(({ shown }) => shown.id);
};

test("a change that looks like a repeat of an earlier one is delivered once with its report in another way, whichever time is earlier", () => {
  for (const seconds of [1, 3]) {
    const [pushed, journal] = [group("pushed", seconds), group("journal", 2)];
    const inOrder = [pushed, journal].toSorted((one, other) => +one.shown.time - +other.shown.time);
    assert.deepEqual(left(inOrder, [pushed]), ["journal"]);
  }
});

test("what looks like a repeat is delivered if the record has another state than the receiver", () => {
  const pushed = group("pushed", 1);
  assert.deepEqual(left([pushed], [pushed]), ["pushed"]);
});

test("of a reported change and the same one found by reading, the reported one is delivered", () => {
  const [found, pushed] = [group("found", 1, true), group("pushed", 2)];
  assert.deepEqual(left([found, pushed], []), ["pushed"]);
  assert.deepEqual(left([found, pushed], [pushed]), ["pushed"]);
});
