/** Decides where a proxied call goes: whose key, which installation, what address, which credentials. */
import { LRUCache } from "lru-cache";
import type { Catalog } from "../../connectors/catalog.ts";
import type { Account } from "../../connector-kit/provider-fetch.ts";
import type { Access } from "../access/authorize.ts";
import type { LiveConnection } from "../calls/live-connection.ts";
import type { LiveConnections } from "../calls/live-connections.ts";
import { nowMs } from "../ground/clock.ts";
import { Problem } from "../ground/errors.ts";
import { isJsonObject } from "../ground/json.ts";
import type { Change, Changes } from "../store/changes.ts";
import type { Database } from "../store/database.ts";
import {
  findProxiedInstallation,
  type ProxiedInstallation,
  type WhichInstallation,
} from "../store/proxied-installations.ts";
import { cacheUntilChanged, type Affected } from "../store/row-cache.ts";
import { staysHere, textOf, type ProxyRequestNames } from "./read-head.ts";
import type { Base } from "./target-path.ts";

export interface Target extends Base {
  projectId: string;
  installationId: string;
  connectionId: string;
  /** Provider key of the catalog. */
  provider: string;
  /** What reading the provider's answers takes. */
  account?: Account;
  /** Credentials: name and value in turn. */
  headers: readonly string[];
  /** Names of `headers` in lower case: the caller's own headers of that name do not pass. Less what never passes. */
  replaces: ReadonlySet<string>;
  /** Whether another token can be had when the provider refuses this one. */
  refreshable: boolean;
  /** Whether a success would be news about the connection. */
  unproven: boolean;
}

export interface Targets {
  /** What `resolve` decided a moment ago, if nothing has changed since. */
  known(asked: ProxyRequestNames): Target | undefined;
  /** Throws `Problem` (401, 403, 404) or `ProviderError` when the connection cannot be used. */
  resolve(asked: ProxyRequestNames): Promise<Target>;
  /** The same with other credentials than those just refused, or itself when none can be had. Throws `ProviderError`. */
  refresh(target: Target): Promise<Target>;
  /** Told what the provider answered. Returns at once, and mostly because it is no news. */
  answered(target: Target, status: number): void;
}

interface Services {
  database: Database;
  changes: Changes;
  access: Access;
  connections: LiveConnections;
  catalog: Catalog;
}

/** An installation as far as it is the same for all calls. */
interface ProxyPermit extends ProxiedInstallation {
  /** Why calls are refused; undefined when they are not. */
  closed?: string;
  moduleKey?: string;
}

const MOST_INSTALLATIONS = 20_000;
/**
 * How long a decision is repeated without asking the rooms that made it: they know when a token runs out, and a
 * second is early enough for that.
 */
const DECIDED_MS = 1_000;

/**
 * A provider that answers 401 whatever the token is (a missing scope, a blocked user) must not make us ask for a new
 * one with every call.
 */
const REFRESH_AT_MOST_EVERY_MS = 30_000;

export function openTargets(deps: Services): Targets {
  const gates = openGates(deps);
  const refreshed = openRefreshes(deps.connections);
  const built = new WeakMap<LiveConnection, Map<string, Target>>();
  const lives = new WeakMap<Target, LiveConnection>();
  const targetOf = (gate: ProxyPermit, live: LiveConnection): Target => {
    const known = built.get(live) ?? new Map<string, Target>();
    built.set(live, known);
    const moduleKey = gate.moduleKey ?? "";
    const target = known.get(gate.id + moduleKey) ?? build(deps, gate, live);
    known.set(gate.id + moduleKey, target);
    lives.set(target, live);
    return target;
  };
  const liveOf = async ({ projectId, connectionId }: { projectId: string; connectionId: string }) => {
    const live = await deps.connections.find(projectId, connectionId);
    if (live) return live;
    throw new Problem("not-found", { detail: "The connection of this installation no longer exists." });
  };

  /** Counts the changes that any decision could rest on. */
  let changed = 0;
  deps.changes.subscribe((change) => {
    if (!change || BASES.has(change.table)) changed += 1;
  });
  const decisions = new Map<string, { target: Target; untilMs: number; changed: number }>();

  return {
    known(asked) {
      const decision = decisions.get(nameOf(asked));
      if (!decision || decision.changed !== changed || decision.untilMs < nowMs()) return undefined;
      return decision.target;
    },
    async resolve(asked) {
      const changedBefore = changed;
      await requireOwner(deps.access, asked);
      const gate = await gates.asked(asked);
      if (!gate || gate.projectId !== projectOf(asked)) throw unknownInstallation(asked);
      if (gate.closed) throw new Problem("proxy-disabled", { detail: gate.closed });
      const target = targetOf(gate, await liveOf(gate));
      // They live a second anyway, so nothing is lost by beginning anew.
      if (decisions.size >= MOST_INSTALLATIONS) decisions.clear();
      decisions.set(nameOf(asked), { target, untilMs: nowMs() + DECIDED_MS, changed: changedBefore });
      return target;
    },
    answered(target, status) {
      if (status === 401 ? target.refreshable : !target.unproven && !deps.connections.suspects.any) return;
      const live = lives.get(target);
      if (live) deps.connections.suspects.noticed(live, status);
    },
    async refresh(target) {
      const gate = await gates.byId(target.projectId, target.installationId);
      if (!gate) throw new Problem("not-found", { detail: "The installation no longer exists." });
      const refused = lives.get(target)?.tokenGeneration;
      const live = await liveOf(target);
      // Somebody else may have refreshed it already; one that was only read anew still has what was refused.
      const current = live.tokenGeneration === refused ? await refreshed(live) : live;
      return current.tokenGeneration === refused ? target : targetOf(gate, current);
    },
  };
}

interface Gates {
  byId(projectId: string, id: string): ProxyPermit | undefined | Promise<ProxyPermit | undefined>;
  asked(asked: ProxyRequestNames): Promise<ProxyPermit | undefined>;
}

function openGates(deps: Services): Gates {
  const gates = cacheUntilChanged<ProxyPermit>(deps.changes, { most: MOST_INSTALLATIONS, affected });
  /** Ids by project, integration name and group: a hint, verified against what the id stands for now. */
  const named = new LRUCache<string, string>({ max: MOST_INSTALLATIONS });
  const find = async (projectId: string, which: WhichInstallation) =>
    toGate(deps, await findProxiedInstallation(deps.database.queries, projectId, which));
  const byId: Gates["byId"] = (projectId, id) => gates.get(id, () => find(projectId, { id }), projectId);
  return {
    byId,
    async asked(asked) {
      const projectId = projectOf(asked);
      if (asked.installationId) return byId(projectId, asked.installationId.toLowerCase());
      const integrationName = textOf(asked.integrationName ?? "");
      const groupRef = textOf(asked.groupRef ?? "");
      const name = JSON.stringify([projectId, integrationName, groupRef]);
      const hint = named.get(name);
      const hinted = hint && (await byId(projectId, hint));
      if (hinted) return hinted;
      const found = await find(projectId, { integrationName, groupRef });
      if (!found) return undefined;
      named.set(name, found.id);
      return byId(projectId, found.id);
    },
  };
}

/** Refreshes a connection, or hands back the same one when that was tried a moment ago. */
function openRefreshes(connections: LiveConnections): (live: LiveConnection) => Promise<LiveConnection> {
  /** When a connection was last refreshed from here, in milliseconds since the epoch. */
  const times = new LRUCache<string, number>({ max: MOST_INSTALLATIONS });
  /** Refreshes under way: those who were refused together wait for one. */
  const running = new Map<string, Promise<LiveConnection>>();
  return (live) => {
    const known = running.get(live.id);
    if (known) return known;
    if (nowMs() - (times.get(live.id) ?? 0) < REFRESH_AT_MOST_EVERY_MS) return Promise.resolve(live);
    times.set(live.id, nowMs());
    const started = connections.refreshRejected(live).finally(() => running.delete(live.id));
    running.set(live.id, started);
    return started;
  };
}

/** What a decision is read from: rows of these tables. */
const BASES = new Set(["projects", "api_keys", "integrations", "installations", "connections"]);

/** Everything that a decision depends on and the caller says. No header value holds a line break. */
const nameOf = ({
  apiKey,
  projectId,
  installationId,
  integrationName,
  groupRef,
}: ProxyRequestNames): string =>
  installationId
    ? `${apiKey}\n${projectId}\n${installationId}`
    : `${apiKey}\n${projectId}\n${integrationName}\n${groupRef}`;

function affected({ table, id }: Change): Affected<ProxyPermit> {
  if (table === "installations") return id;
  if (table === "integrations") return (gate) => gate.integrationId === id;
  if (table === "projects") return (gate) => gate.projectId === id;
  return undefined;
}

async function requireOwner(access: Access, asked: ProxyRequestNames): Promise<void> {
  if (!asked.apiKey && asked.hasBearer) {
    throw new Problem("unauthenticated", {
      detail: "The proxy takes no bearer tokens. Send an API key of the project in the header `X-Api-Key`.",
    });
  }
  const owner = await access.keyOwner(asked.apiKey);
  if (!owner.scopes.includes("full")) {
    throw new Problem("forbidden", {
      detail:
        "The proxy needs an API key with the scope `full`, and this one is for browsers. Call it from your server.",
    });
  }
  if (owner.projectId !== projectOf(asked)) {
    throw new Problem("forbidden", {
      detail:
        "This API key belongs to another project than `x-amp-project-id` names. Send a key of that project.",
    });
  }
}

const projectOf = ({ projectId = "" }: ProxyRequestNames): string => projectId.toLowerCase();

const unknownInstallation = ({ installationId, integrationName, groupRef }: ProxyRequestNames): Problem =>
  new Problem("not-found", {
    detail: installationId
      ? `The project has no installation \`${installationId}\`.`
      : `The project has no installation of the integration \`${integrationName}\` for the group \`${groupRef}\`.`,
  });

/** Reads the two contents once; whoever stored them checked their shape, and unknown shapes mean "not enabled". */
function toGate(deps: Services, found: ProxiedInstallation | undefined): ProxyPermit | undefined {
  if (!found) return undefined;
  const manifest = isJsonObject(found.manifest) ? found.manifest : {};
  const proxy = isJsonObject(manifest.proxy) ? manifest.proxy : {};
  const module = typeof manifest.module === "string" ? manifest.module : undefined;
  const provider = typeof manifest.provider === "string" ? manifest.provider : "";
  const moduleKey =
    proxy.useModule === true ? module || deps.catalog.find(provider)?.defaultModule || undefined : undefined;
  return { ...found, manifest: undefined, config: undefined, moduleKey, closed: whyClosed(found, proxy) };
}

function whyClosed(found: ProxiedInstallation, proxy: { enabled?: unknown }): string | undefined {
  if (proxy.enabled !== true) {
    return `The manifest of \`${found.integrationName}\` does not enable the proxy. Deploy it with \`proxy: {enabled: true}\`.`;
  }
  const config = isJsonObject(found.config) && isJsonObject(found.config.proxy) ? found.config.proxy : {};
  if (config.enabled !== false) return undefined;
  return "The configuration of this installation switches the proxy off. Update it with `proxy: {enabled: true}`.";
}

function build(deps: Services, gate: ProxyPermit, live: LiveConnection): Target {
  const url = deps.connections.baseUrl(live, gate.moduleKey);
  const { headers, query } = live.authorization;
  return {
    projectId: gate.projectId,
    installationId: gate.id,
    connectionId: live.id,
    provider: live.provider.name,
    account: live.account,
    origin: url.origin,
    basePath: url.pathname.replace(/\/+$/, ""),
    query,
    headers: headers.flat(),
    replaces: new Set(headers.map(([name]) => name.toLowerCase()).filter((name) => !staysHere(name))),
    refreshable: live.refreshable && live.status !== "bad_credentials",
    unproven: live.status !== "working",
  };
}
