/** Resolves where a proxied call goes: to which address, with which credentials. */
import type { Catalog } from "../../connector-kit/catalog.ts";
import type { Access } from "../access/authorize.ts";
import { isLimited } from "../access/key-limits.ts";
import { seesEveryGroup } from "../access/actor.ts";
import type { LiveConnection } from "../calls/live-connection.ts";
import type { LiveConnections } from "../calls/live-connections.ts";
import type { ClientAddress } from "../../ground/client-address.ts";
import { Problem } from "../../ground/errors.ts";
import { describeMissingIntegration, explainNotInstalled } from "../operations/missing-integration.ts";
import type { Changes } from "../store/database/changes.ts";
import type { Database } from "../store/database/database.ts";
import type { ControlQueries } from "../store/database/sides.ts";
import { findIntegration } from "../store/integrations/integrations.ts";
import { openProxyPermits, type ProxyPermit } from "./proxy-permits.ts";
import { type ProxyRequestNames, readProjectId } from "./read-head.ts";
import { openRecentTargets } from "./recent-targets.ts";
import { type Admission, buildTarget, type KnownTarget, type Target } from "./target.ts";
import type { KeyOwner } from "../store/access/api-keys.ts";
import { keepRecentlyUsed } from "../../ground/recently-used.ts";
import { nowMs } from "../../ground/clock.ts";

/** A refusal of a call whose installation is known. */
export class InstallationRefusal extends Problem {
  readonly admission: Omit<Admission, "target"> & { target: KnownTarget };

  constructor(detail: string, admission: InstallationRefusal["admission"]) {
    super("proxy-disabled", { detail });
    this.admission = admission;
  }
}

export interface Targets {
  /**
   * Returns what `resolve` returned a moment ago, if nothing has changed since. Throws `Problem` (403, 429) for a limit of the
   * key.
   */
  known(names: ProxyRequestNames, request: Addressed): Admission | undefined;
  /** Throws `Problem` (401, 403, 404, 429), or `ProviderError` when the connection cannot be used. */
  resolve(names: ProxyRequestNames, request: Addressed): Promise<Admission>;
  /** Does the same for a caller that the API has authenticated, whose `names` contain no key. */
  admit(names: ProxyRequestNames, by: Omit<Admission, "target">): Promise<Admission>;
  /**
   * Returns the target with other credentials than those just refused, or the target itself when there are none. Throws
   * `ProviderError`.
   */
  refresh(target: Target): Promise<Target>;
  /** Reports the status of a provider's answer. Does not wait, because most statuses change nothing. */
  answered(target: Target, status: number): void;
}

/** The parts of a request that tell its client's address. */
type Addressed = Parameters<ClientAddress>[0];

interface TargetDeps {
  database: Database;
  changes: Changes;
  access: Access;
  connections: LiveConnections;
  catalog: Catalog;
  clientAddress: ClientAddress;
}

export function openTargets(deps: TargetDeps): Targets {
  const { keyLimits } = deps.access;
  const permits = openProxyPermits(deps);
  const recent = openRecentTargets(deps.changes);
  const refreshed = limitRefreshes(deps.connections);
  const built = new WeakMap<LiveConnection, Map<string, Target>>();
  const lives = new WeakMap<Target, LiveConnection>();
  const findTarget = (permit: ProxyPermit, live: LiveConnection): Target => {
    const known = built.get(live) ?? new Map<string, Target>();
    built.set(live, known);
    const key = permit.id + (permit.moduleKey ?? "");
    const target = known.get(key) ?? buildTarget(deps.connections, permit, live);
    known.set(key, target);
    lives.set(target, live);
    return target;
  };
  const openLive = async ({ projectId, connectionId }: { projectId: string; connectionId: string }) => {
    const live = await deps.connections.find(projectId, connectionId);
    if (live) return live;
    throw new Problem("not-found", { detail: "The connection of this installation no longer exists." });
  };
  const admit = async (
    names: ProxyRequestNames,
    by: Omit<Admission, "target">,
    caller: Pick<KeyOwner, "scopes"> = { scopes: [] },
  ): Promise<Admission> => {
    const permit = await permits.byNames(names);
    if (!permit || permit.projectId !== readProjectId(names))
      throw await refuseUnknownInstallation(deps.database.control, names, seesEveryGroup(caller));
    if (permit.disabledReason) {
      const target = { projectId: permit.projectId, installationId: permit.id, shard: permit.shard };
      throw new InstallationRefusal(permit.disabledReason, { ...by, target });
    }
    return { ...by, target: findTarget(permit, await openLive(permit)) };
  };
  return {
    known(names, request) {
      const admission = recent.get(names);
      if (!admission?.limitedKey) return admission;
      const refusal = keyLimits.refusal(admission.limitedKey, () => deps.clientAddress(request));
      if (refusal) throw refusal;
      return admission;
    },
    admit: (names, by) => admit(names, by),
    async resolve(names, request) {
      const remember = recent.begin(names);
      const owner = await requireProjectKey(deps.access, names, () => deps.clientAddress(request));
      const limitedKey = isLimited(owner) ? owner : undefined;
      const by = { apiKeyId: owner.apiKeyId, ...(limitedKey && { limitedKey }) };
      const admission = await admit(names, by, owner);
      remember(admission);
      return admission;
    },
    answered(target, status) {
      const mayRefuse = status === 401 || (status === 403 && target.signer !== undefined);
      if (mayRefuse ? target.refreshable : !target.unproven && !deps.connections.suspects.any) return;
      const live = lives.get(target);
      if (live) deps.connections.suspects.noticed(live, status);
    },
    async refresh(target) {
      const permit = await permits.byId(target.projectId, target.installationId);
      if (!permit) throw new Problem("not-found", { detail: "The installation no longer exists." });
      const refused = lives.get(target)?.tokenGeneration;
      const live = await openLive(target);
      // Another call may have refreshed it already. A connection that was only read again still has the refused token.
      const current = live.tokenGeneration === refused ? await refreshed(live) : live;
      return current.tokenGeneration === refused ? target : findTarget(permit, current);
    },
  };
}

/** Finds out what is missing. Queries of its own, because it is rare. */
async function refuseUnknownInstallation(
  queries: ControlQueries,
  names: ProxyRequestNames,
  maySeeGroups: boolean,
): Promise<Problem> {
  const { installationId, integrationName = "", groupRef = "" } = names;
  if (installationId)
    return new Problem("not-found", { detail: `The project has no installation \`${installationId}\`.` });
  const projectId = readProjectId(names);
  const found = await findIntegration(queries, projectId, integrationName);
  if (!found) return describeMissingIntegration(queries, projectId, integrationName);
  const missing = { projectId, integration: found.name, groupRef, seesGroups: maySeeGroups };
  return new Problem("not-found", { detail: await explainNotInstalled(queries, missing) });
}

/**
 * Returns the key's owner. Throws a Problem: 401 without a valid key, 403 for a key of the wrong scope, project or address,
 * 429 beyond its rate limit.
 */
async function requireProjectKey(
  access: Access,
  names: ProxyRequestNames,
  address: () => string,
): Promise<KeyOwner> {
  if (!names.apiKey && names.hasBearer) {
    throw new Problem("unauthenticated", {
      detail: "The proxy takes no bearer tokens. Send an API key of the project in the header `X-Api-Key`.",
    });
  }
  const owner = await access.keyOwner(names.apiKey);
  const refusal = access.keyLimits.refusal(owner, address);
  if (refusal) throw refusal;
  if (!owner.scopes.includes("full") && !owner.scopes.includes("proxy")) {
    throw new Problem("forbidden", {
      detail:
        "The proxy needs an API key with the scope `full` or `proxy`, and this one has neither. Call it from your server.",
    });
  }
  if (owner.projectId !== readProjectId(names)) {
    throw new Problem("forbidden", {
      detail:
        "This API key belongs to another project than `x-amp-project-id` names. Send a key of that project.",
    });
  }
  return owner;
}

/**
 * Some providers answer 401 whatever the token is (a missing scope, a blocked user). Without a limit, every call would
 * request a new token. The limit is more than one, because a provider can revoke a new token immediately, too.
 */
const MAX_REFRESHES = 3;
const WITHIN_MS = 30_000;
const MAX_CONNECTIONS = 20_000;

/**
 * Returns a function that refreshes a connection. It returns the connection unchanged if the limit is reached. A failed
 * refresh does not count, so the next call tries again.
 */
function limitRefreshes(
  connections: Pick<LiveConnections, "refreshRejected">,
): (live: LiveConnection) => Promise<LiveConnection> {
  /** The times at which a connection got new tokens by this function, in milliseconds since the epoch. */
  const times = keepRecentlyUsed<number[]>(MAX_CONNECTIONS);
  /** Refreshes in progress: calls that were refused at the same time wait for the same refresh. */
  const running = new Map<string, Promise<LiveConnection>>();
  return (live) => {
    const known = running.get(live.id);
    if (known) return known;
    const recent = (times.get(live.id) ?? []).filter((timeMs) => nowMs() - timeMs < WITHIN_MS);
    if (recent.length >= MAX_REFRESHES) return Promise.resolve(live);
    const started = connections
      .refreshRejected(live)
      .then((refreshed) => {
        times.set(live.id, [...recent, nowMs()]);
        return refreshed;
      })
      .finally(() => running.delete(live.id));
    running.set(live.id, started);
    return started;
  };
}
