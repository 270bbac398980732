/** The connections of customers, ready for calls. `open-live-connections.ts` finds and refreshes them. */
import type { RefreshQueue } from "../store/connections/token-refreshes.ts";
import type { LiveConnection } from "./live-connection.ts";

export interface LiveConnections {
  /**
   * Returns the connection with a token that should be valid, or undefined when the project has no such connection.
   * Throws `ProviderError` (`unauthorized`, `unavailable`).
   */
  find(projectId: string, id: string): Promise<LiveConnection | undefined>;
  /** Returns the connection with another token than this one, which the provider has just answered 401 to. */
  refreshRejected(connection: LiveConnection): Promise<LiveConnection>;
  /** Returns the connection with another token than the one that is stored now, valid or not. */
  forceRefresh(connection: { id: string; projectId: string }): Promise<LiveConnection>;
  /** The queues in which refreshes wait for a free place in this process. */
  waitingRefreshes(): RefreshQueue[];
  /** Watches the providers' status codes, for credentials that cannot be refreshed. */
  readonly suspects: SuspectCredentials;
  /** Waits for work in the background, but not endlessly for a database that is down. */
  settled(): Promise<void>;
  /** Returns the base address of the connection's calls; `moduleKey` selects a module. Throws `ProviderError`. */
  baseUrl(connection: LiveConnection, moduleKey?: string): URL;
}

export interface SuspectCredentials {
  /** Handles a provider's status code. Returns at once; the work is done in the background. */
  noticed(connection: LiveConnection, status: number): void;
  /** Marks the connection as bad, because a check that was requested has been refused. */
  refusedByCheck(connection: LiveConnection): Promise<void>;
  /** Whether any connection is suspect; if not, callers need not report successes. */
  readonly any: boolean;
}
