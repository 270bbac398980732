/** Erases a group in batches until it is gone or time is up, and counts what went. */
import { FIRST_ID } from "../../../ground/ids.ts";
import { elapsedMs } from "../../../ground/clock.ts";
import { describeMissingGroup } from "./missing-group.ts";
import { awaitPushes } from "../../subscribe/receive/await-pushes.ts";
import {
  ignoreDatabaseOutage,
  isDatabaseAway,
  mayBeCommitted,
  retryWhileDatabaseIsDown,
} from "../../store/database/database-outage.ts";
import { transactControl, transactData, type Database } from "../../store/database/database.ts";
import {
  eraseAccounts,
  eraseAnswers,
  eraseAuditActors,
  eraseAuditNames,
  eraseEvents,
  eraseGroupRow,
  eraseOperations,
  eraseOutbox,
  eraseProxyCalls,
  eraseRefusedRequests,
  findGroupTraces,
  hasBegunToConnect,
  hasConnection,
  listErasedOperations,
  lockGroup,
  storeErasedUntil,
  type ErasedGroup,
  type GroupTraces,
} from "../../store/connections/erase-group.ts";
import { findGroup, findGroupShard, upsertGroup } from "../../store/access/customers.ts";
import { getShard, refuseMoving } from "../../store/shards/each-shard.ts";
import { listPushedAccounts, type PushedAccount } from "../../store/subscriptions/received-pushes.ts";

interface Erased {
  installations: number;
  connections: number;
  consumers: number;
  consents: number;
  operations: number;
  queuedWrites: number;
  idempotencyKeys: number;
  events: number;
  deliveries: number;
  proxyCalls: number;
  refusedRequests: number;
  auditNames: number;
}

const BATCH = 1_000;

/**
 * Returns what was erased and whether nothing is left. Throws a 404 Problem without such a group,
 * unless somebody began to connect for it. Accounts and credentials go first,
 * in one transaction. The rest, in the database of the customer's shard, may need several calls: each step can be repeated, and the group's row goes last, so that the next call continues.
 */
export async function eraseGroup(
  { database }: { database: Database },
  wanted: { projectId: string; groupRef: string; withinMs: number },
): Promise<{ done: boolean; erased: Erased }> {
  const { projectId, groupRef } = wanted;
  const placed =
    (await findGroupShard(database.control, projectId, groupRef)) ??
    (await placeWhoOnlyBegan(database, wanted));
  const deps = { database: getShard(database, placed?.shard ?? null) };
  const endMs = elapsedMs() + wanted.withinMs;
  const isLate = () => elapsedMs() > endMs;
  const accounts = await listAccounts(deps.database, projectId, groupRef);
  const first = await transactControl(deps.database, async (queries) => {
    const row = await lockGroup(queries, projectId, groupRef);
    // Inside the transaction, whose commit would put an erasure into the audit.
    if (!row) throw await describeMissingGroup(queries, projectId, groupRef);
    // While the row is locked, no move begins; one that has begun has rows in two shards.
    const present = await findGroupShard(queries, projectId, groupRef);
    if (present?.isSplit || present?.shard !== placed?.shard) throw refuseMoving();
    const group = { ...row, ...(await findGroupTraces(queries, row)) };
    const removed = await eraseAccounts(queries, group, accounts);
    const refusedRequests = await eraseRefusedRequests(queries, group);
    const auditNames = (await eraseAuditNames(queries, group)) + (await eraseAuditActors(queries, group));
    return { group, erased: { ...NOTHING, ...removed, refusedRequests, auditNames } };
  });
  const { group, erased } = first;
  try {
    return { done: await eraseRest(deps, group, { accounts, erased, endMs, isLate }), erased };
  } catch (error) {
    // A refusal would say that nothing was done. The next call continues.
    if (!isDatabaseAway(error) && !mayBeCommitted(error)) throw error;
    return { done: false, erased };
  }
}

/** Gives a row to a group that only began to connect, so that it is erased like any other one. */
async function placeWhoOnlyBegan(
  database: Database,
  { projectId, groupRef }: { projectId: string; groupRef: string },
): ReturnType<typeof findGroupShard> {
  const group = { projectId, groupRef };
  if (!(await hasBegunToConnect(database.control, group))) return undefined;
  await transactControl(database, (queries) => upsertGroup(queries, group));
  return findGroupShard(database.control, projectId, groupRef);
}

interface Erasing {
  accounts: PushedAccount[];
  erased: Erased;
  endMs: number;
  isLate: () => boolean;
}

/** Erases what lies outside of the first transaction, in several. Returns whether nothing is left. */
async function eraseRest(
  deps: { database: Database },
  group: Traced,
  { accounts, erased, endMs, isLate }: Erasing,
): Promise<boolean> {
  await eraseOutbox(deps.database.control, group);
  const done =
    (await eraseHistory(deps, group, erased, isLate)) &&
    (await eraseAllEvents(deps, group, erased, isLate)) &&
    // Without subscriptions, taking the pushes apart leaves nothing of the customer's events.
    (await awaitPushes(deps, group.projectId, Math.max(0, endMs - elapsedMs()))) &&
    // What was accepted since the first step.
    (await eraseHistory(deps, group, erased, isLate)) &&
    (await finish(deps, group, accounts, erased));
  if (done) await eraseLateHistory(deps, group, erased, endMs);
  return done;
}

/**
 * Erases what a process that still knew the customer accepted during the last step. Nobody knows the customer now, so it ends.
 * Without the group's row no request can go on with this, so it is repeated here while the database is down.
 */
async function eraseLateHistory(
  deps: { database: Database },
  group: Traced,
  erased: Erased,
  endMs: number,
): Promise<void> {
  const signal = AbortSignal.timeout(Math.ceil(Math.max(1, endMs - elapsedMs())));
  const erase = () => eraseHistory(deps, group, erased, () => false);
  await ignoreDatabaseOutage(() => retryWhileDatabaseIsDown(erase, { signal }));
}

/** Lists the accounts of the customer's pushes. Call it before the subscriptions are removed, because they name the accounts. */
async function listAccounts(
  { control, data }: Database,
  projectId: string,
  groupRef: string,
): Promise<PushedAccount[]> {
  const group = await findGroup(control, projectId, groupRef);
  return group ? listPushedAccounts(data, group.id) : [];
}

const NOTHING: Erased = {
  installations: 0,
  connections: 0,
  consumers: 0,
  consents: 0,
  operations: 0,
  queuedWrites: 0,
  idempotencyKeys: 0,
  events: 0,
  deliveries: 0,
  proxyCalls: 0,
  refusedRequests: 0,
  auditNames: 0,
};

type Traced = ErasedGroup & GroupTraces;

async function eraseHistory(
  { database }: { database: Database },
  group: Traced,
  erased: Erased,
  isLate: () => boolean,
): Promise<boolean> {
  for (;;) {
    const ids = await listErasedOperations(database.data, group, BATCH);
    const idempotencyKeys = await eraseAnswers(database.control, ids);
    const gone = await transactData(database, async (queries) => ({
      ...(await eraseOperations(queries, ids)),
      proxyCalls: await eraseProxyCalls(queries, group, BATCH),
    }));
    add(erased, { ...gone, idempotencyKeys });
    if (ids.length === 0 && gone.proxyCalls === 0) return true;
    if (isLate()) return false;
  }
}

async function eraseAllEvents(
  { database }: { database: Database },
  group: Traced,
  erased: Erased,
  isLate: () => boolean,
): Promise<boolean> {
  for (let afterId = group.erasedUntilEvent ?? FIRST_ID; ;) {
    const range = { afterId, max: BATCH };
    const page = await transactData(database, (queries) => eraseEvents(queries, group, range));
    add(erased, { events: page.events, deliveries: page.deliveries });
    if (page.lastId === undefined) return true;
    // After a crash before this, these events are examined again.
    await storeErasedUntil(database.control, group, page.lastId);
    if (isLate()) return false;
    afterId = page.lastId;
  }
}

/**
 * Removes what the control side has stored since the first step (refused requests), and then the group's row. Returns false if
 * the customer has connected again: the next request erases that.
 */
async function finish(
  { database }: { database: Database },
  group: Traced,
  accounts: PushedAccount[],
  erased: Erased,
): Promise<boolean> {
  const last = await transactControl(database, async (queries) => {
    await lockGroup(queries, group.projectId, group.groupRef);
    if (await hasConnection(queries, group)) return undefined;
    const removed = {
      ...(await eraseAccounts(queries, group, accounts)),
      refusedRequests: await eraseRefusedRequests(queries, group),
      auditNames: await eraseAuditActors(queries, group),
    };
    await eraseGroupRow(queries, group);
    return removed;
  });
  if (last) add(erased, last);
  return last !== undefined;
}

function add(erased: Erased, more: Partial<Erased>): void {
  for (const [name, value] of Object.entries(more)) erased[name as keyof Erased] += value;
}
