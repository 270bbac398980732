/** Finds out whether a provider's 401 means that credentials are no good any more, where nothing can be refreshed. */
import { LRUCache } from "lru-cache";
import { healthCheckUrl, TemplateError } from "../../connector-kit/template.ts";
import { EgressError, type Egress } from "../egress/open-egress.ts";
import { nowMs } from "../ground/clock.ts";
import type { Log } from "../ground/log.ts";
import type { Changes } from "../store/changes.ts";
import { findDoubt, insertDoubt, listDoubted, removeDoubt } from "../store/connection-doubts.ts";
import {
  healConnection,
  lockConnection,
  markConnectionWorking,
  findConnection,
  updateConnection,
} from "../store/connections.ts";
import { transact, type Database } from "../store/database.ts";
import type { BackgroundWork } from "../jobs/background-work.ts";
import type { ConnectionEvents } from "../credentials/connection-events.ts";
import type { LiveConnection } from "./live-connections.ts";
import { metadataValues } from "../credentials/stored/provider-metadata.ts";

export interface SuspectCredentials {
  /** Told what a provider answered. Returns at once; what follows happens behind the caller's back. */
  noticed(connection: LiveConnection, status: number): void;
  /** Whether any connection is doubted: as long as none is, the good news need not be told. */
  readonly any: boolean;
}

interface Services {
  database: Database;
  changes: Changes;
  egress: Egress;
  log: Log;
  connectionEvents: ConnectionEvents;
}

/** Refusals in a row without one success between, of the credentials with this mark. */
interface Strikes {
  mark: string;
  count: number;
  firstMs: number;
}

const MOST_DOUBTED = 10_000;
const CHECK_AT_MOST_EVERY_MS = 60_000;
/** After the health check said that the credentials are fine. */
const TRUST_MS = 10 * 60_000;
const STRIKES = 3;
const STRIKES_OVER_MS = 10 * 60_000;
/** Where refusals and successes alternate, the database hears of it now and then. */
const SHARE_AT_MOST_EVERY_MS = 60_000;
const CHECK_TIMEOUT_MS = 10_000;
const CHECK_MAX_BYTES = 256 * 1024;

/**
 * One 401 proves nothing: an endpoint may want another scope, or answer 401 for what it means by 403. So it is only the
 * reason to look:
 *
 *   trusted → 401 → asked      the provider's health check, where the catalog has one, is called with the credentials
 *   asked   → 2xx → trusted    the endpoint was odd; not asked again for ten minutes
 *   asked   → 401 → bad        two addresses have refused: `bad_credentials`, and the event
 *   asked   → other → struck   says nothing, as if there were no health check
 *   struck  → 2xx → trusted    any call that gets in
 *   struck  → 401 → bad        the third in a row, ten minutes or more after the first: no outage of a moment, and
 *                              nothing of what the application calls gets in, so it is broken for the customer either way
 *   bad     → 2xx → working    the key was switched on again at the provider, or we were wrong
 *
 * Refusals are counted by each process; that there are any, all know from the database, so that a call that gets in
 * anywhere clears the connection everywhere. Nothing of it is on the path of a call.
 */
export function openSuspectCredentials(deps: Services, behind: BackgroundWork): SuspectCredentials {
  const { queries } = deps.database;
  const strikes = new LRUCache<string, Strikes>({ max: MOST_DOUBTED });
  /** Until when a connection's health check rests, in milliseconds since the epoch. */
  const resting = new LRUCache<string, number>({ max: MOST_DOUBTED });
  /** News is told once per state of a connection. */
  const told = new WeakSet<LiveConnection>();
  const settle = (id: string, work: () => Promise<unknown>) =>
    behind.run(id, "a connection's status was not settled", work);
  const shared = openSharedDoubts(deps, behind, (id) => strikes.delete(id));

  const refused = async (live: LiveConnection): Promise<void> => {
    const { id } = live;
    const { count, firstMs } = strike(strikes, live);
    if ((resting.get(markOf(live)) ?? 0) <= nowMs()) {
      resting.set(markOf(live), nowMs() + CHECK_AT_MOST_EVERY_MS);
      const health = await askHealth(deps.egress, live);
      if (health === "refused")
        return markBad(deps, live, "its health check and another call were answered 401");
      if (health === "fine") {
        resting.set(markOf(live), nowMs() + TRUST_MS);
        strikes.delete(id);
        return shared.has(id) ? removeDoubt(queries, id) : undefined;
      }
    }
    await shared.add(live);
    if (count < STRIKES || nowMs() - firstMs < STRIKES_OVER_MS || !(await shared.isOld(live))) return;
    await markBad(deps, live, `${count} calls in a row were answered 401`);
    shared.begin(live);
  };

  return {
    get any() {
      return strikes.size > 0 || shared.any;
    },
    noticed(live, status) {
      const { id } = live;
      if (status === 401) {
        if (live.status !== "bad_credentials") settle(id, () => refused(live));
      } else if (status < 400) {
        if (strikes.size > 0) strikes.delete(id);
        if (shared.delete(id)) settle(id, () => removeDoubt(queries, id));
        if (live.status === "working" || told.has(live)) return;
        told.add(live);
        settle(id, () => good(deps, live));
      }
    },
  };
}

function strike(strikes: LRUCache<string, Strikes>, live: LiveConnection): Strikes {
  const mark = markOf(live);
  const known = strikes.get(live.id);
  const { count, firstMs } = known?.mark === mark ? known : { count: 0, firstMs: nowMs() };
  const all = { mark, count: count + 1, firstMs };
  strikes.set(live.id, all);
  return all;
}

/** Of these credentials, which end in a tag of their own: what was held against others does not count for them. */
const markOf = ({ sealed }: LiveConnection): string => sealed.slice(-24);

/** Which connections any process doubts. `cleared` is told when somebody trusts one again. */
function openSharedDoubts(deps: Services, behind: BackgroundWork, cleared: (id: string) => void) {
  const { queries } = deps.database;
  const doubted = new Set<string>();
  /** Until when a connection is not shared again, in milliseconds since the epoch. */
  const resting = new LRUCache<string, number>({ max: MOST_DOUBTED });
  const failed = "the doubts of other processes were not read";
  const readAll = async () => {
    for (const id of await listDoubted(queries, MOST_DOUBTED)) doubted.add(id);
  };
  deps.changes.subscribe((change) => {
    if (!change) return behind.run("all", failed, readAll);
    const { table, id } = change;
    if (table !== "connection_doubts") return;
    behind.run(id, failed, async () => {
      if (await findDoubt(queries, id)) return doubted.add(id);
      cleared(id);
      return doubted.delete(id);
    });
  });
  behind.run("all", failed, readAll);
  return {
    get any() {
      return doubted.size > 0;
    },
    has: (id: string) => doubted.has(id),
    delete: (id: string) => doubted.delete(id),
    async add(live: LiveConnection): Promise<void> {
      const mark = markOf(live);
      if ((resting.get(mark) ?? 0) > nowMs()) return;
      resting.set(mark, nowMs() + SHARE_AT_MOST_EVERY_MS);
      await insertDoubt(queries, { connectionId: live.id, mark, since: new Date(nowMs()) });
    },
    /** Whether all processes have had the time to clear it. */
    async isOld(live: LiveConnection): Promise<boolean> {
      const doubt = await findDoubt(queries, live.id);
      return doubt?.mark === markOf(live) && nowMs() - doubt.since.getTime() >= STRIKES_OVER_MS;
    },
    /** The next refusal is news again. */
    begin: (live: LiveConnection) => void resting.delete(markOf(live)),
  };
}

/** Tokens that can be refreshed say themselves when they cannot any more; one that still serves for a while heals nothing. */
async function good({ database }: Services, live: LiveConnection): Promise<void> {
  const { projectId, id } = live;
  if (live.status === "created") await markConnectionWorking(database.queries, projectId, id);
  else if (!live.refreshable) await healConnection(database.queries, live);
}

async function askHealth(egress: Egress, live: LiveConnection): Promise<"fine" | "refused" | "unknown"> {
  const { provider, authorization } = live;
  try {
    const values = metadataValues(live.providerMetadata);
    if (live.providerWorkspaceRef) values["workspace"] ??= live.providerWorkspaceRef;
    const url = healthCheckUrl(provider, { values, allowPlainHttp: egress.allowsPlainHttp });
    if (!url) return "unknown";
    for (const [name, value] of authorization.query) url.searchParams.set(name, value);
    const { status } = await egress.send({
      url,
      method: provider.authHealthCheck?.method ?? "GET",
      headers: { accept: "application/json", ...Object.fromEntries(authorization.headers) },
      wholeMs: CHECK_TIMEOUT_MS,
      maxBytes: CHECK_MAX_BYTES,
    });
    if (status === 401) return "refused";
    const good = provider.authHealthCheck?.successStatusCodes ?? [200];
    return good.includes(status) ? "fine" : "unknown";
  } catch (error) {
    if (error instanceof TemplateError || error instanceof EgressError) return "unknown";
    throw error;
  }
}

function markBad(deps: Services, live: LiveConnection, why: string): Promise<void> {
  return transact(deps.database, async (queries) => {
    const { projectId, id, provider } = live;
    await lockConnection(queries, projectId, id);
    const row = await findConnection(queries, projectId, id);
    // Somebody has changed the credentials, or was here first.
    if (!row || row.credentialsSealed !== live.sealed || row.status === "bad_credentials") return;
    await removeDoubt(queries, id);
    await updateConnection(queries, projectId, id, { status: "bad_credentials" });
    const reason = `${provider.displayName ?? provider.name} does not accept the credentials any more: ${why}.`;
    await deps.connectionEvents.failed(queries, row, reason);
    deps.log.warn({ connectionId: id, provider: provider.name }, "a connection's credentials are refused");
  });
}
