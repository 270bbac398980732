/** Erases a group in batches until it is gone or time is up, and counts what went. */
import { elapsedMs } from "../../ground/clock.ts";
import { transact, type Database, type Queries } from "../../store/database.ts";
import {
  eraseAccounts,
  eraseEvents,
  eraseGroupRow,
  eraseMentions,
  eraseOperations,
  eraseProxyCalls,
  findGroupTraces,
  lockGroup,
  type ErasedGroup,
  type GroupTraces,
} from "../../store/erase-group.ts";

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
const FIRST_ID = "00000000-0000-0000-0000-000000000000";

/**
 * Returns what was erased and whether nothing is left; undefined without such a group. Accounts and credentials go first,
 * in one transaction. The rest may need several calls: the group's row goes last, so that the next call continues.
 */
export async function eraseGroup(
  deps: { database: Database },
  wanted: { projectId: string; groupRef: string; withinMs: number },
): Promise<{ done: boolean; erased: Erased } | undefined> {
  const { projectId, groupRef } = wanted;
  const endMs = elapsedMs() + wanted.withinMs;
  const isLate = () => elapsedMs() > endMs;
  const first = await transact(deps.database, async (queries) => {
    const group = await lockGroup(queries, projectId, groupRef);
    if (!group) return undefined;
    const traces = await findGroupTraces(queries, group);
    const accounts = await eraseAccounts(queries, group);
    const mentions = await eraseMentions(queries, { ...group, ...traces });
    return { group: { ...group, ...traces }, erased: { ...NOTHING, ...accounts, ...mentions } };
  });
  if (!first) return undefined;
  const { group, erased } = first;
  const done =
    (await eraseHistory(deps, group, erased, isLate)) && (await eraseAllEvents(deps, group, erased, isLate));
  if (done) await transact(deps.database, (queries) => finish(queries, group, erased));
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
  for (let afterId = FIRST_ID; ;) {
    const range = { afterId, most: BATCH };
    const page = await transact(database, (queries) => eraseEvents(queries, group, range));
    add(erased, { events: page.events, deliveries: page.deliveries });
    if (page.lastId === undefined) return true;
    if (isLate()) return false;
    afterId = page.lastId;
  }
}

/** Removes what was added since the first step, for example by a customer who connected again. */
async function finish(queries: Queries, group: Traced, erased: Erased): Promise<void> {
  await lockGroup(queries, group.projectId, group.groupRef);
  add(erased, await eraseAccounts(queries, group));
  await eraseGroupRow(queries, group);
}

function add(erased: Erased, more: Partial<Erased>): void {
  for (const [name, value] of Object.entries(more)) erased[name as keyof Erased] += value;
}
