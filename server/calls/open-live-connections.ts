/** Finds connections ready for calls: from memory where possible, with a valid token, refreshed where needed. */
import { setTimeout as wait } from "node:timers/promises";
import { keepRecentlyUsed } from "../../ground/recently-used.ts";
import { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import { completeAccountInfo } from "../credentials/connect/account-info.ts";
import type { RefreshServices } from "../credentials/refresh/refresh-tokens.ts";
import type { RefreshTarget } from "../credentials/refresh/refresh-lease.ts";
import { openRefreshSlots, type RefreshLimits } from "../credentials/refresh/refresh-slots.ts";
import { EXPIRY_MARGIN_MS } from "../credentials/stored/refresh-time.ts";
import { nowMs } from "../../ground/clock.ts";
import { openBackgroundWork } from "../jobs/background-work.ts";
import type { Changes } from "../store/database/changes.ts";
import { findConnection } from "../store/connections/connections.ts";
import { cacheUntilChanged } from "../store/processes/row-cache.ts";
import { openBaseAddresses } from "./base-address.ts";
import { openLiveConnection, type LiveConnection } from "./live-connection.ts";
import type { LiveConnections } from "./live-connections.ts";
import { shareRefreshes } from "./shared-refreshes.ts";
import { openSuspectCredentials } from "./suspect-credentials.ts";

/** How long the next try waits after an early refresh failed; the old token is used meanwhile. */
const EARLY_RETRY_MS = 10_000;
const MAX_CONNECTIONS = 20_000;
const SETTLE_MS = 30_000;

type Services = RefreshServices & { changes: Changes; refreshLimits: RefreshLimits };

export function openLiveConnections(deps: Services): LiveConnections {
  const cache = cacheUntilChanged<LiveConnection>(deps.changes, {
    max: MAX_CONNECTIONS,
    tables: ["connections"],
    listRowIds: ({ id }) => [id],
  });
  const background = openBackgroundWork(deps.log);
  const suspects = openSuspectCredentials(deps, background);
  const slots = openRefreshSlots(deps.refreshLimits);
  /** For each connection, the time until which it is not refreshed early, in milliseconds since the epoch. */
  const restingUntil = keepRecentlyUsed<number>(MAX_CONNECTIONS);

  const read = async (projectId: string, id: string): Promise<LiveConnection | undefined> => {
    const row = await findConnection(deps.database.control, projectId, id);
    return row && openLiveConnection(deps, row);
  };
  /** A builder may have replaced the provider since the connection was opened. */
  const upToDate = async (live: LiveConnection | undefined): Promise<LiveConnection | undefined> => {
    if (!live || live.provider === deps.catalog.of(live.projectId).find(live.provider.name)) return live;
    const fresh = await read(live.projectId, live.id);
    if (fresh) cache.put(live.id, fresh);
    return fresh;
  };
  const refreshes = shareRefreshes({ ...deps, slots }, (row) => {
    const live = openLiveConnection(deps, row);
    cache.put(row.id, live);
    const ids = { projectId: row.projectId, connectionId: row.id };
    background.run(ids, "account metadata could not be requested", () => completeAccountInfo(deps, row));
    return live;
  });
  const refresh = (live: LiveConnection, isRejected = false): Promise<LiveConnection> =>
    refreshes.refresh(toTarget(live), live.tokenGeneration, isRejected);
  const refreshEarly = (live: LiveConnection): void => {
    if ((restingUntil.get(live.id) ?? 0) > nowMs()) return;
    refresh(live).catch((error: unknown) => {
      restingUntil.set(live.id, nowMs() + EARLY_RETRY_MS);
      deps.log.warn(
        { connectionId: live.id, projectId: live.projectId, error: String(error) },
        "early token refresh failed; the old token is still valid",
      );
    });
  };

  return {
    async find(projectId, id) {
      const live = await upToDate(await cache.get(id, () => read(projectId, id), projectId));
      if (!live || live.projectId !== projectId) return undefined;
      if (live.status === "bad_credentials" || nowMs() < (live.refreshAtMs ?? Number.POSITIVE_INFINITY))
        return live;
      const leftMs = (live.expiresAtMs ?? Number.POSITIVE_INFINITY) - nowMs();
      if (leftMs <= EXPIRY_MARGIN_MS || live.tokenGeneration === undefined) return refresh(live);
      refreshEarly(live);
      return live;
    },
    waitingRefreshes: () => slots.waiting(),
    suspects,
    async settled() {
      const settled = Promise.all([refreshes.settled(), background.settled()]);
      await Promise.race([settled, wait(SETTLE_MS, undefined, { ref: false })]);
    },
    refreshRejected: (connection) =>
      refresh(connection, true).catch((error: unknown) => {
        // Without a provider app the token cannot be refreshed: a 401 says as much as it does of other credentials.
        if (error instanceof ProviderError && error.kind === "unauthorized")
          suspects.noticed(connection, 401);
        throw error;
      }),
    async forceRefresh({ id, projectId }) {
      const stored = await read(projectId, id);
      if (!stored) throw new ProviderError({ kind: "unauthorized", message: "The connection is gone." });
      return refresh(stored);
    },
    baseUrl: openBaseAddresses(deps),
  };
}

const toTarget = ({ id, projectId, provider }: LiveConnection): RefreshTarget => ({
  id,
  projectId,
  provider: provider.name,
});
