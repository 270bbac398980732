/** Connections ready to be used: opened, with their base address and what authenticates a call, kept in memory. */
import { LRUCache } from "lru-cache";
import { ProviderError } from "../../connector-kit/provider-error.ts";
import { completeAccountInfo } from "../credentials/connect/account-info.ts";
import {
  EXPIRY_MARGIN_MS,
  refreshTokens,
  type RefreshServices,
} from "../credentials/refresh/refresh-tokens.ts";
import { nowMs } from "../ground/clock.ts";
import { openBackgroundWork } from "../jobs/background-work.ts";
import { limitConcurrency, type ConcurrencyLimit } from "../jobs/concurrency-limit.ts";
import type { Changes } from "../store/changes.ts";
import { findConnection } from "../store/connections.ts";
import { cacheUntilChanged } from "../store/row-cache.ts";
import { baseAddressOf } from "./base-address.ts";
import { openLiveConnection, type LiveConnection } from "./live-connection.ts";
import { openSuspectCredentials, type SuspectCredentials } from "./suspect-credentials.ts";

export interface LiveConnections {
  /**
   * The connection with a token that should still serve. Throws `ProviderError` (`unauthorized`, `unavailable`),
   * or undefined when there is no such connection in the project.
   */
  find(projectId: string, id: string): Promise<LiveConnection | undefined>;
  /** The same with another token than `rejected`, which the provider has just answered 401 to. */
  refreshRejected(connection: LiveConnection): Promise<LiveConnection>;
  /** The same with another token than the one that is stored now, whatever state that is in. */
  forceRefresh(connection: { id: string; projectId: string }): Promise<LiveConnection>;
  /** Told of what providers answer, for those whose credentials cannot be refreshed. */
  readonly suspects: SuspectCredentials;
  /** Waits for what goes on background the callers' backs. */
  settled(): Promise<void>;
  /** Where calls of this connection go; `moduleKey` for the address of a module. Throws `ProviderError`. */
  baseUrl(connection: LiveConnection, moduleKey?: string): URL;
}

/** An early refresh that failed is not tried again before; the old token serves meanwhile. */
const EARLY_RETRY_MS = 10_000;
const MOST_CONNECTIONS = 10_000;
/** Each holds a database connection while the provider answers, and some need a second one for a moment. */
const MOST_REFRESHES = 6;
/** Of one provider, so that one whose token endpoint hangs leaves room for the others. */
const MOST_REFRESHES_OF_ONE = 2;

type Services = RefreshServices & { changes: Changes };

export function openLiveConnections(deps: Services): LiveConnections {
  const cache = cacheUntilChanged<LiveConnection>(deps.changes, {
    most: MOST_CONNECTIONS,
    affected: ({ table, id }) => (table === "connections" ? id : undefined),
  });
  const background = openBackgroundWork(deps.log);
  const suspects = openSuspectCredentials(deps, background);
  const turn = turns();
  const refreshes = new Map<string, Promise<LiveConnection>>();
  /** Until when a connection's early refresh rests, in milliseconds since the epoch. */
  const resting = new LRUCache<string, number>({ max: MOST_CONNECTIONS });

  const read = async (projectId: string, id: string): Promise<LiveConnection | undefined> => {
    const row = await findConnection(deps.database.queries, projectId, id);
    return row && openLiveConnection(deps, row);
  };
  /** One refresh per connection in this process; the row lock makes it one over all processes. */
  const refresh = (connection: LiveConnection, staleToken?: string): Promise<LiveConnection> => {
    const running = refreshes.get(connection.id);
    if (running) return running;
    const started = turn(connection.provider.name, () => refreshTokens(deps, connection, { staleToken }))
      .then((row) => {
        const live = openLiveConnection(deps, row);
        cache.put(row.id, live);
        background.run(row.id, "an account could not be asked about", () => completeAccountInfo(deps, row));
        return live;
      })
      .finally(() => refreshes.delete(connection.id));
    refreshes.set(connection.id, started);
    return started;
  };

  return {
    async find(projectId, id) {
      const live = await cache.get(id, () => read(projectId, id), projectId);
      if (!live || live.projectId !== projectId) return undefined;
      if (live.status === "bad_credentials" || nowMs() < (live.refreshAtMs ?? Number.POSITIVE_INFINITY))
        return live;
      const leftMs = (live.expiresAtMs ?? Number.POSITIVE_INFINITY) - nowMs();
      if (leftMs > EXPIRY_MARGIN_MS && live.tokenGeneration !== undefined) {
        if ((resting.get(id) ?? 0) > nowMs()) return live;
        refresh(live, live.tokenGeneration).catch((error: unknown) => {
          resting.set(id, nowMs() + EARLY_RETRY_MS);
          deps.log.warn(
            { connectionId: id, error: String(error) },
            "early token refresh failed; the old token still serves",
          );
        });
        return live;
      }
      return refresh(live, live.tokenGeneration);
    },
    suspects,
    settled: () => background.settled(),
    refreshRejected: (connection) =>
      refresh(connection, connection.tokenGeneration).catch((error: unknown) => {
        // It was refused and cannot be refreshed for want of an app: then it is like one that has nothing to refresh.
        if (error instanceof ProviderError && error.kind === "unauthorized")
          suspects.noticed(connection, 401);
        throw error;
      }),
    async forceRefresh({ id, projectId }) {
      const stored = await read(projectId, id);
      if (!stored) throw new ProviderError({ kind: "unauthorized", message: "The connection is gone." });
      return refresh(stored, stored.tokenGeneration);
    },
    baseUrl: (connection, moduleKey) => baseAddressOf(deps, connection, moduleKey),
  };
}

/** Runs a refresh when it is its turn: first among those of its provider, then among all. */
function turns(): <Value>(provider: string, work: () => Promise<Value>) => Promise<Value> {
  const ofAll = limitConcurrency(MOST_REFRESHES);
  const ofOne = new Map<string, ConcurrencyLimit>();
  return (provider, work) => {
    const own = ofOne.get(provider) ?? limitConcurrency(MOST_REFRESHES_OF_ONE);
    ofOne.set(provider, own);
    return own(() => ofAll(work));
  };
}
