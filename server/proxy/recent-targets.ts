/** Remembers for a second where calls go, so that the next call with the same headers needs no lookup. */
import { nowMs } from "../../ground/clock.ts";
import type { Changes } from "../store/database/changes.ts";
import type { ProxyRequestNames } from "./read-head.ts";
import type { Admission } from "./target.ts";

interface RecentTargets {
  get(names: ProxyRequestNames): Admission | undefined;
  /** Returns a function that remembers an admitted call, unless something has changed since this call. */
  begin(names: ProxyRequestNames): (admission: Admission) => void;
}

/** Short enough that the expiry of a token, which only the connection knows, is noticed in time. */
const REMEMBERED_MS = 1_000;
const MAX_TARGETS = 20_000;

/** The tables that a target is derived from. */
const SOURCES = new Set(["projects", "api_keys", "integrations", "installations", "connections"]);

export function openRecentTargets(changes: Changes): RecentTargets {
  /** Counts the changes that may make any remembered target wrong. */
  let changed = 0;
  changes.subscribe((change) => {
    if (!change || SOURCES.has(change.table)) changed += 1;
  });
  const targets = new Map<string, { admission: Admission; untilMs: number; changed: number }>();
  return {
    get(names) {
      const known = targets.get(joinKey(names));
      if (!known || known.changed !== changed || known.untilMs < nowMs()) return undefined;
      return known.admission;
    },
    begin(names) {
      const changedBefore = changed;
      return (admission) => {
        // Entries live for a second, so clearing loses little.
        if (targets.size >= MAX_TARGETS) targets.clear();
        targets.set(joinKey(names), { admission, untilMs: nowMs() + REMEMBERED_MS, changed: changedBefore });
      };
    },
  };
}

/** Joins everything that the caller sends and a target depends on. No header value contains a line break. */
const joinKey = ({
  apiKey,
  projectId,
  installationId,
  integrationName,
  groupRef,
}: ProxyRequestNames): string =>
  installationId
    ? `${apiKey}\n${projectId}\n${installationId}`
    : `${apiKey}\n${projectId}\n${integrationName}\n${groupRef}`;
