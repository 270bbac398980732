// Lists what was deleted or changed in a period: ids only, those of purged records included.

import type { SandboxAnswer, SandboxExchange } from "../exchange.ts";
import type { Router } from "../router.ts";
import { refuse } from "./errors.ts";
import { parseInstant } from "./instant.ts";
import { toStamp, type ObjectStore, type Org } from "./org.ts";
import { API, findStore, type OrgSource } from "./sobjects.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const MAX_IDS = 600_000;

export function addReplicationRoutes(router: Router, org: OrgSource): void {
  const path = `${API}/sobjects/:object`;
  const store = (exchange: SandboxExchange): ObjectStore => findStore(org(), exchange.params["object"] ?? "");
  router.add("GET", `${path}/deleted`, (exchange) => answerDeleted(org(), store(exchange), exchange));
  router.add("GET", `${path}/updated`, (exchange) => answerUpdated(org(), store(exchange), exchange));
}

type Span = { start: number; end: number };

/** Reads the period, without seconds. It must be longer than a minute, and begin within the kept days. */
function readSpan(org: Org, { query }: SandboxExchange, days: number): Span {
  const [start = Number.NaN, end = Number.NaN] = ["start", "end"].map((name) => {
    const at = parseInstant(query.get(name) ?? "");
    if (Number.isNaN(at))
      throw refuseDate(`the ${name} date is missing or is not a date and time with a zone`);
    return Math.floor(at / MINUTE_MS) * MINUTE_MS;
  });
  const now = org.clock.now();
  if (end - start <= MINUTE_MS)
    throw refuseDate("endDate must be at least one minute greater than startDate");
  if (start > now) throw refuseDate("startDate must not be in the future");
  if (start < now - days * DAY_MS)
    throw refuseDate(`startDate before org replication enabled date (${days} days)`);
  return { start, end };
}

function refuseDate(message: string): Error {
  return refuse(400, "INVALID_REPLICATION_DATE", message);
}

/** Returns until when the answer is complete: uncommitted transactions are missing, and clients begin the next period there. */
function findCoveredUntil(org: Org, end: number): number {
  const complete = org.clock.now() - org.settings.replicationLagMs;
  return Math.min(end, Math.floor(complete / MINUTE_MS) * MINUTE_MS);
}

function showUntil(org: Org, end: number): number {
  return org.settings.replicationLagMs === 0 ? end : findCoveredUntil(org, end);
}

function answerDeleted(org: Org, store: ObjectStore, exchange: SandboxExchange): SandboxAnswer {
  const { start, end } = readSpan(org, exchange, 15);
  const until = showUntil(org, end);
  const deletedRecords = [...store.deletions.values()]
    .filter(({ at }) => at >= start && at < until)
    .map(({ id, at }) => ({ id, deletedDate: toStamp(at) }));
  refuseTooMany(deletedRecords.length);
  const oldest = Math.floor((org.clock.now() - 15 * DAY_MS) / MINUTE_MS) * MINUTE_MS;
  const body = {
    deletedRecords,
    earliestDateAvailable: toStamp(oldest),
    latestDateCovered: toStamp(findCoveredUntil(org, end)),
  };
  return { status: 200, body };
}

function answerUpdated(org: Org, store: ObjectStore, exchange: SandboxExchange): SandboxAnswer {
  const { start, end } = readSpan(org, exchange, 30);
  const ids: string[] = [];
  for (const record of store.table.select({ changedFrom: start, changedTo: showUntil(org, end) - 1 })) {
    if (!record.deleted) ids.push(record.id);
    refuseTooMany(ids.length);
  }
  return { status: 200, body: { ids, latestDateCovered: toStamp(findCoveredUntil(org, end)) } };
}

function refuseTooMany(ids: number): void {
  if (ids > MAX_IDS)
    throw refuse(400, "EXCEEDED_ID_LIMIT", "too many ids in this span; ask for a shorter one");
}
