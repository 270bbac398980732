/** The streaming half of the proxy on real sockets, with a target that is given instead of looked up. */
import { buildCatalog } from "../../../connectors/catalog.ts";
import { openProcessGates } from "../../../server/calls/gates/shared-gates.ts";
import { openEgress } from "../../../server/egress/open-egress.ts";
import { createLog } from "../../../ground/log.ts";
import type { ProxyUse } from "../../../server/store/operations/proxy-usage.ts";
import { createForwardingServer } from "../../../server/proxy/forwarding-server.ts";
import type { ProxyLimits } from "../../../server/proxy/limits.ts";
import type { Target } from "../../../server/proxy/target.ts";
import type { Targets } from "../../../server/proxy/targets.ts";
import { openThrottle } from "../../../server/proxy/throttle.ts";
import { listen } from "./wire.ts";

export interface LiteralProxy {
  port: number;
  uses: ProxyUse[];
  close(): Promise<void>;
}

/** Header lines that every call needs, without the last line end. */
export const OURS = [
  "Host: proxy.test",
  "x-amp-proxy-version: 1",
  "x-amp-project-id: 01890000-0000-7000-8000-000000000001",
  "x-api-key: bb_key",
  "x-amp-installation-id: 01890000-0000-7000-8000-000000000002",
].join("\r\n");

/** A target at this origin, with a bearer token. */
export const targetAt = (origin: string, more: Partial<Target> = {}): Target => ({
  projectId: "01890000-0000-7000-8000-000000000001",
  installationId: "01890000-0000-7000-8000-000000000002",
  connectionId: "01890000-0000-7000-8000-000000000003",
  provider: "test",
  origin,
  basePath: "",
  query: [],
  headers: ["Authorization", "Bearer provider-token"],
  defaults: [],
  replaces: new Set(),
  refreshable: false,
  unproven: false,
  ...more,
});

export async function startLiteralProxy(options: {
  target: Target;
  refresh?: Targets["refresh"];
  limits?: ProxyLimits;
  answerTimeoutMs?: number;
  idleTimeoutMs?: number;
  lingerMs?: number;
}): Promise<LiteralProxy> {
  const egress = openEgress(["127.0.0.1", "localhost"]);
  const uses: ProxyUse[] = [];
  const gates = openProcessGates();
  const server = createForwardingServer({
    egress,
    targets: {
      answered: () => {},
      known: () => undefined,
      resolve: async () => ({ target: options.target }),
      refresh: options.refresh ?? (async (target) => target),
    },
    throttle: openThrottle({ catalog: buildCatalog(), chooseGates: () => gates }),
    limits: options.limits,
    usage: { add: (use) => void uses.push(use) },
    log: createLog("silent"),
    docsUrl: () => "http://docs.test",
    answerTimeoutMs: options.answerTimeoutMs ?? 60_000,
    idleTimeoutMs: options.idleTimeoutMs ?? 60_000,
    lingerMs: options.lingerMs,
  });
  const port = await listen(server);
  return {
    port,
    uses,
    async close() {
      server.close();
      server.closeAllConnections();
      await egress.close();
    },
  };
}
