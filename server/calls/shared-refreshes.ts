/** Shares one refresh among all callers in this process that need new tokens of a connection. */
import { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import type { RefreshTarget } from "../credentials/refresh/refresh-lease.ts";
import { refreshTokens, type RefreshServices } from "../credentials/refresh/refresh-tokens.ts";
import type { RefreshSlots } from "../credentials/refresh/refresh-slots.ts";
import { elapsedMs } from "../../ground/clock.ts";
import type { ConnectionRow } from "../store/connections/connections.ts";

interface SharedRefreshes<Result> {
  /**
   * Rejects with a `ProviderError` (`unavailable`) when the caller has waited for `waitMs`; the refresh continues. `isRejected`: the provider has
   * refused `staleToken`.
   */
  refresh(connection: RefreshTarget, staleToken?: string, isRejected?: boolean): Promise<Result>;
  /** Resolves when the refreshes under way have stored their tokens. */
  settled(): Promise<void>;
}

/** Longer than a token endpoint may take, shorter than most clients wait. */
const WAIT_MS = 30_000;

interface SharedRefresh<Result> {
  promise: Promise<Result>;
  /** The time until which a caller waits; a refresh that has not begun by then does not begin. */
  wantedUntilMs: number;
  /** Whether a caller came because the provider had refused the token. */
  isRejected: boolean;
}

/** `opened` is called once with the connection's new row; all callers get its result. */
export function shareRefreshes<Result>(
  deps: RefreshServices & { slots: RefreshSlots },
  opened: (row: ConnectionRow) => Result,
  waitMs = WAIT_MS,
): SharedRefreshes<Result> {
  const running = new Map<string, SharedRefresh<Result>>();

  const start = (connection: RefreshTarget, staleToken?: string): SharedRefresh<Result> => {
    const shared: Omit<SharedRefresh<Result>, "promise"> = {
      wantedUntilMs: elapsedMs() + waitMs,
      isRejected: false,
    };
    const isWanted = () => elapsedMs() < shared.wantedUntilMs;
    const isRejected = () => shared.isRejected;
    const promise = refreshTokens(deps, { connection, staleToken, isRejected, isWanted })
      .then(opened)
      .finally(() => running.delete(connection.id));
    const started = Object.assign(shared, { promise });
    running.set(connection.id, started);
    return started;
  };

  return {
    async refresh(connection, staleToken, isRejected = false) {
      const shared = running.get(connection.id) ?? start(connection, staleToken);
      shared.isRejected ||= isRejected;
      shared.wantedUntilMs = elapsedMs() + waitMs;
      return waitWithinTime(shared.promise, waitMs, connection.provider);
    },
    async settled() {
      await Promise.allSettled([...running.values()].map(({ promise }) => promise));
    },
  };
}

async function waitWithinTime<Result>(
  promise: Promise<Result>,
  ms: number,
  provider: string,
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const message = `A new access token for ${provider} could not be obtained within ${ms / 1_000} s. Try again.`;
      reject(new ProviderError({ kind: "unavailable", message }));
    }, ms);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
