/** Drops what the receiver already has: changes that a scan found again, or that were reported in two ways. Pure. */
import { type EndedEvent, GONE } from "../../store/subscriptions/subscription-events.ts";
import { endFiltered } from "./choose-groups.ts";
import type { EventGroup } from "./group-events.ts";

export const isGone = (hash: Buffer): boolean => hash.equals(GONE);

export interface NewGroups {
  groups: EventGroup[];
  /** Hash of what the receiver has of the record after each group; null if unknown. */
  hashes: (Buffer | null)[];
  repeated: EndedEvent[];
}

/**
 * `fingerprints` has the records of the groups as they are now, without those that do not exist; `delivered` what was last
 * delivered of each; `reported` has the groups that the provider reported in another way already. Other events of the provider are
 * never left out.
 */
export function dropRepeats(
  groups: readonly EventGroup[],
  {
    fingerprints,
    delivered,
    reported,
  }: {
    fingerprints: ReadonlyMap<string, Buffer>;
    delivered: ReadonlyMap<string, Buffer>;
    reported: ReadonlySet<EventGroup>;
  },
): NewGroups {
  const known = new Map(delivered);
  const kept = new Map<EventGroup, Buffer | null>();
  const repeated: EndedEvent[] = [];
  for (const group of sortCertainFirst(groups, reported)) {
    const { type, recordId } = group.shown;
    const now = fingerprints.get(recordId);
    const hash = type === "delete" ? GONE : type === "associationUpdate" ? undefined : now;
    const states = { now, hash, last: known.get(recordId) };
    const fault = reported.has(group)
      ? findReasonNotToRepeat(states)
      : isFound(group)
        ? findReasonToDrop(type, states)
        : undefined;
    if (fault !== undefined) {
      const outcome = fault === EXISTS_AGAIN ? "filtered" : "repeated";
      repeated.push(...group.events.map((event) => endFiltered(event, fault, outcome)));
      continue;
    }
    if (hash) known.set(recordId, hash);
    kept.set(group, hash ?? null);
  }
  const left = groups.filter((group) => kept.has(group));
  return { groups: left, hashes: left.map((group) => kept.get(group) ?? null), repeated };
}

/**
 * Orders groups so that those that are delivered in any case come first: a group that may be a repeat is one of them too, even if its
 * time is earlier. A reported group tells more than what was found by reading.
 */
function sortCertainFirst(groups: readonly EventGroup[], reported: ReadonlySet<EventGroup>): EventGroup[] {
  const rank = (group: EventGroup): number => (isFound(group) ? 2 : reported.has(group) ? 1 : 0);
  return groups.toSorted((one, other) => rank(one) - rank(other));
}

const isFound = ({ events }: EventGroup): boolean =>
  events.every(({ isFound: isFoundEvent }) => isFoundEvent === true);

interface RecordStates {
  now: Buffer | undefined;
  hash: Buffer | undefined;
  last: Buffer | undefined;
}

/** Without a state to compare, as of an association, the report decides. */
const findReasonNotToRepeat = ({ hash, last }: RecordStates): string | undefined =>
  !hash || last?.equals(hash) ? "the provider reported the change in another way already" : undefined;

const EXISTS_AGAIN = "the record exists again";
const DELETED_ALREADY = "the deletion of the record is in a message already";

function findReasonToDrop(
  type: EventGroup["shown"]["type"],
  { now, hash, last }: RecordStates,
): string | undefined {
  if (type === "delete" && now) return EXISTS_AGAIN;
  if (!hash || !last?.equals(hash)) return undefined;
  return type === "delete" ? DELETED_ALREADY : "the same state of the record is in a message already";
}
