/** Assembles the proxy: a server that passes calls to providers with the credentials of a customer. */
import type { Server } from "node:http";
import type { Catalog } from "../../connector-kit/catalog.ts";
import type { Access } from "../access/authorize.ts";
import { openProcessGates, type ConnectionGates } from "../calls/gates/shared-gates.ts";
import type { LiveConnections } from "../calls/live-connections.ts";
import type { Egress } from "../egress/egress.ts";
import { openClientAddress, openIsBehindProxy } from "../../ground/client-address.ts";
import type { Problem } from "../../ground/errors.ts";
import type { ProblemSlug } from "../../ground/problem-types.ts";
import type { SupportContact } from "../../ground/server-settings.ts";
import type { Log } from "../../ground/log.ts";
import type { Tracer } from "../../ground/tracer.ts";
import type { Changes } from "../store/database/changes.ts";
import type { Database } from "../store/database/database.ts";
import { createForwardingServer } from "./forwarding-server.ts";
import type { ProxyLimits } from "./limits.ts";
import { openProxyCaller, type ProxyCaller } from "./proxy-caller.ts";
import type { Target } from "./target.ts";
import { openTargets } from "./targets.ts";
import { openThrottle } from "./throttle.ts";
import { openUsageLog, type UsageLog } from "./usage-log.ts";

/** Receives what the metrics count. */
export interface ProxyMeter {
  /** A call with a target has ended. */
  called(call: { status: number; durationMs: number }): void;
  /** The proxy itself refused a call with a problem of this type. */
  refused(type: ProblemSlug): void;
  /** Passes a function that returns the number of dropped usage lines. */
  watchDropped(read: () => number): void;
}

interface ProxyServices {
  database: Database;
  changes: Changes;
  access: Access;
  /** Addresses and CIDRs of the operator's reverse proxies. */
  trustedProxies?: string[] | undefined;
  connections: LiveConnections;
  egress: Egress;
  catalog: Catalog;
  log: Log;
  /** Base URL of the reference, without a trailing slash. */
  docsUrl: () => string;
  /** Contact that refusals name. */
  support?: SupportContact;
  /** Shared with the workers of this process, if any. */
  gates?: ConnectionGates;
  /** Those of the other shards. */
  shards?: { all: readonly { database: Pick<Database, "shard">; gates: ConnectionGates }[] };
  /** The operator's limits; undefined: none. */
  limits?: ProxyLimits;
  meter?: ProxyMeter;
  /** Undefined if traces are not sent. */
  tracer?: Tracer | undefined;
  answerTimeoutMs?: number;
  idleTimeoutMs?: number;
}

/** Long enough for the slowest reports that providers compute. */
const ANSWER_TIMEOUT_MS = 120_000;
const IDLE_TIMEOUT_MS = 60_000;

export type ProxyServer = Server &
  ProxyCaller & {
    /** Await it after the last call, so that no usage line is lost. */
    flushed(): Promise<void>;
  };

/** Returns a server that is ready to listen, and that makes calls for callers of the API, listening or not. */
export function createProxyServer(deps: ProxyServices): ProxyServer {
  const { trustedProxies = [] } = deps;
  const gates = deps.gates ?? openProcessGates();
  const chooseGates = ({ shard }: Target) =>
    (shard ? deps.shards?.all.find(({ database }) => database.shard === shard)?.gates : undefined) ?? gates;
  const usage = openUsageLog(deps);
  deps.meter?.watchDropped(() => usage.dropped);
  const targets = openTargets({ ...deps, clientAddress: openClientAddress(trustedProxies) });
  const forwarding = {
    egress: deps.egress,
    throttle: openThrottle({ catalog: deps.catalog, chooseGates }),
    limits: deps.limits,
    usage: deps.meter ? meterUsage(usage, deps.meter) : usage,
    onRefused: (problem: Problem) => deps.meter?.refused(problem.slug),
    log: deps.log,
    tracer: deps.tracer,
    docsUrl: deps.docsUrl,
    support: deps.support,
    answerTimeoutMs: deps.answerTimeoutMs ?? ANSWER_TIMEOUT_MS,
    idleTimeoutMs: deps.idleTimeoutMs ?? IDLE_TIMEOUT_MS,
  };
  const { call } = openProxyCaller(forwarding, targets);
  const server = createForwardingServer({
    ...forwarding,
    targets,
    isBehindProxy: openIsBehindProxy(trustedProxies),
  });
  return Object.assign(server, { call, flushed: () => usage.close() });
}

const meterUsage = (usage: UsageLog, meter: ProxyMeter): Pick<UsageLog, "add"> => ({
  add(use) {
    meter.called(use);
    usage.add(use);
  },
});
