/** The target of proxied calls: a provider's base URL and a customer's credentials. */
import type { Authorization } from "../../connector-kit/provider/authorization.ts";
import type { Account } from "../../connector-kit/calls/provider-fetch.ts";
import type { LiveConnection } from "../calls/live-connection.ts";
import type { LiveConnections } from "../calls/live-connections.ts";
import type { KeyOwner } from "../store/access/api-keys.ts";
import type { WorkIds } from "../../ground/current-work.ts";
import { readTraceparent } from "../../ground/trace-context.ts";
import type { ProxyPermit } from "./proxy-permits.ts";
import { neverPasses } from "./read-head.ts";
import type { TargetBase } from "./target-path.ts";

export interface Target extends TargetBase {
  projectId: string;
  installationId: string;
  connectionId: string;
  /** Shard of the customer; absent or null for the main one. */
  shard?: string | null;
  /** Provider key of the catalog. */
  provider: string;
  /** What connectors need in order to read the provider's answers. */
  account?: Account;
  /** Credentials: name and value in turn. */
  headers: readonly string[];
  /** Headers that are added where the caller sends none of that name. */
  defaults: Authorization["defaults"];
  /** Names of `headers` in lower case, less those that never pass: the caller's headers of these names do not pass. */
  replaces: ReadonlySet<string>;
  /** Signs each request, where the provider requires it. */
  signer?: Authorization["signer"];
  /** Whether a new token can be requested when the provider refuses this one. */
  refreshable: boolean;
  /** Whether a success changes what is known about the connection. */
  unproven: boolean;
}

/** A call that may be sent: where it goes, and who makes it. */
export interface Admission {
  target: Target;
  /** Absent for calls of people. */
  apiKeyId?: string;
  /** The key, if it has limits: they count every call. */
  limitedKey?: KeyOwner;
  /** The id that the request already has. */
  requestId?: string;
}

/** What is known of the target of a call, even of one that was refused. */
export type KnownTarget = Pick<Target, "projectId" | "installationId" | "shard"> &
  Partial<Pick<Target, "connectionId" | "provider">>;

/** Returns the ids of a call for its log lines. */
export const listWorkIds = (
  { projectId, installationId, connectionId }: KnownTarget,
  traceparent: string | undefined,
): WorkIds => ({
  projectId,
  installationId,
  connectionId,
  traceId: readTraceparent(traceparent)?.traceId,
});

/** Builds the target of an installation's calls. Throws `ProviderError` when the base URL cannot be built. */
export function buildTarget(connections: LiveConnections, permit: ProxyPermit, live: LiveConnection): Target {
  const url = connections.baseUrl(live, permit.moduleKey);
  const { headers, query, defaults, signer } = live.authorization;
  return {
    projectId: permit.projectId,
    installationId: permit.id,
    shard: permit.shard,
    connectionId: live.id,
    provider: live.provider.name,
    account: live.account,
    origin: url.origin,
    basePath: url.pathname.replace(/\/+$/, ""),
    query,
    headers: headers.flat(),
    defaults,
    ...(signer && { signer }),
    replaces: new Set(headers.map(([name]) => name.toLowerCase()).filter((name) => !neverPasses(name))),
    refreshable: live.refreshable && live.status !== "bad_credentials",
    unproven: live.status !== "working",
  };
}
