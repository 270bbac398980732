/** Erases a group in batches until it is gone or time is up, and counts what went. */
import { FIRST_ID } from "../../../ground/ids.ts";
import { elapsedMs } from "../../../ground/clock.ts";
import { missingGroup } from "./missing-group.ts";
import { awaitPushes } from "../../subscribe/receive/await-pushes.ts";
import { transact, type Database } from "../../store/database/database.ts";
import {
  eraseAccounts,
  eraseAuditActors,
  eraseAuditNames,
  eraseEvents,
  eraseGroupRow,
  eraseOperations,
  eraseOutbox,
  eraseProxyCalls,
  eraseRefusedRequests,
  findGroupTraces,
  hasConnection,
  lockGroup,
  type ErasedGroup,
  type GroupTraces,
} from "../../store/connections/erase-group.ts";

export interface Erased {
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
 * Returns what was erased and whether nothing is left. Throws a 404 Problem without such a group. Accounts and credentials go first,
 * in one transaction. The rest may need several calls: the group's row goes last, so that the next call continues.
 */
export async function eraseGroup(
  deps: { database: Database },
  wanted: { projectId: string; groupRef: string; withinMs: number },
): Promise<{ done: boolean; erased: Erased }> {
  const { projectId, groupRef } = wanted;
  const endMs = elapsedMs() + wanted.withinMs;
  const isLate = () => elapsedMs() > endMs;
  const first = await transact(deps.database, async (queries) => {
    const row = await lockGroup(queries, projectId, groupRef);
    // Inside the transaction, whose commit would put an erasure into the audit.
    if (!row) throw await missingGroup(queries, projectId, groupRef);
    const group = { ...row, ...(await findGroupTraces(queries, row)) };
    const accounts = await eraseAccounts(queries, group);
    const refusedRequests = await eraseRefusedRequests(queries, group);
    const auditNames = (await eraseAuditNames(queries, group)) + (await eraseAuditActors(queries, group));
    return { group, erased: { ...NOTHING, ...accounts, refusedRequests, auditNames } };
  });
  const { group, erased } = first;
  await eraseOutbox(deps.database.control, group);
  const done =
    (await eraseHistory(deps, group, erased, isLate)) &&
    (await eraseAllEvents(deps, group, erased, isLate)) &&
    // Without subscriptions, taking the pushes apart leaves nothing of the customer's events.
    (await awaitPushes(deps, projectId, Math.max(0, endMs - elapsedMs()))) &&
    (await finish(deps, group, erased));
  return { done, erased };
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
    const gone = await transact(database, async (queries) => ({
      ...(await eraseOperations(queries, group, BATCH)),
      proxyCalls: await eraseProxyCalls(queries, group, BATCH),
    }));
    add(erased, gone);
    if (gone.operations === 0 && gone.proxyCalls === 0) return true;
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
    const page = await transact(database, (queries) => eraseEvents(queries, group, range));
    add(erased, { events: page.events, deliveries: page.deliveries });
    if (page.lastId === undefined) return true;
    if (isLate()) return false;
    afterId = page.lastId;
  }
}

/**
 * Removes what was stored since the first step (accepted writes, lines of calls, refused requests), and then the group's row.
 * Returns false if the customer has connected again: the next request erases that.
 */
async function finish({ database }: { database: Database }, group: Traced, erased: Erased): Promise<boolean> {
  const last = await transact(database, async (queries) => {
    await lockGroup(queries, group.projectId, group.groupRef);
    if (await hasConnection(queries, group)) return undefined;
    const removed = {
      ...(await eraseAccounts(queries, group)),
      ...(await eraseOperations(queries, group, BATCH)),
      proxyCalls: await eraseProxyCalls(queries, group, BATCH),
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
