// Simulated Salesforce: sessions, the daily limit, then the endpoint.

import { readBearer, Refused, type SandboxAnswer, type Data, type SandboxExchange } from "../exchange.ts";
import type { SandboxClock } from "../clock.ts";
import { toPlainValues } from "../records/lazy-values.ts";
import { Grants } from "../oauth/grants.ts";
import type { KnownClient, Provider } from "../provider.ts";
import { Router } from "../router.ts";
import { addCollectionRoutes } from "./collections.ts";
import { addCompositeRoutes } from "./composite.ts";
import { addDescribeRoutes } from "./describe.ts";
import { buildErrorAnswer, refuse } from "./errors.ts";
import { EventBus } from "./event-bus.ts";
import { addEventChannelRoutes } from "./event-channel-routes.ts";
import { addOAuthRoutes } from "./oauth.ts";
import { DEFAULT_SETTINGS, listLive, Org, ORG_ID, STANDARD_RULES, type DuplicateRule } from "./org.ts";
import { openOrgControls } from "./org-controls.ts";
import { addMetadataRoutes } from "./metadata-soap.ts";
import { PubSubServer, type PubSubTls } from "./pubsub-server.ts";
import { addQueryRoutes } from "./query.ts";
import { addReplicationRoutes } from "./replication.ts";
import { seedSalesforce } from "./seed.ts";
import { addSobjectRoutes, API } from "./sobjects.ts";
import type { SalesforceStreams } from "./stream-controls.ts";

export type SalesforceOptions = {
  origin(): string;
  clock: SandboxClock;
  limits?: "real" | "off";
  tokenLifetimeSeconds?: number;
  clients?: KnownClient[];
  autoApprove?: boolean;
  pubSubTls?: PubSubTls;
  /** Default: contacts and leads with the same e-mail address cause an alert. */
  duplicateRules?: DuplicateRule[];
};

const REAL_DAILY = 100_000;
const VERSIONS = { oldest: 40, newest: 68 };

class DailyLimit {
  max: number;
  used = 0;

  constructor(mode: "real" | "off") {
    this.max = mode === "off" ? Number.POSITIVE_INFINITY : REAL_DAILY;
  }

  set(limits: Data | "off" | "real"): void {
    const usedToday = typeof limits === "object" ? limits["usedToday"] : undefined;
    this.used = typeof usedToday === "number" ? usedToday : 0;
    if (limits === "off") this.max = Number.POSITIVE_INFINITY;
    else if (limits === "real") this.max = REAL_DAILY;
    else if (typeof limits["daily"] === "number") this.max = limits["daily"];
    else if (limits["daily"] === null) this.max = Number.POSITIVE_INFINITY;
  }

  shownMax(): number {
    return Number.isFinite(this.max) ? this.max : 100_000_000;
  }
}

type Salesforce = Provider & { streams: SalesforceStreams };

export function createSalesforce(options: SalesforceOptions): Salesforce {
  const daily = new DailyLimit(options.limits ?? "real");
  const grants = new Grants({
    rotate: true,
    sliding: true,
    lifetimeSeconds: options.tokenLifetimeSeconds ?? 7200,
    accessTokenText: (random) => `${ORG_ID.slice(0, 15)}!AQ${random}`,
    refreshTokenText: (random) => `5Aep861${random}`,
  });
  const rules = options.duplicateRules ?? STANDARD_RULES;
  const fresh = (): Org => new Org(rules, { clock: options.clock, ...DEFAULT_SETTINGS });
  let org = fresh();
  const bus = new EventBus(() => org);
  const server = new PubSubServer(bus, grants, options.origin, options.pubSubTls);
  const start = (): void => {
    org = fresh();
    seedSalesforce(org);
    org.onCommit = (changes) => bus.changed(changes);
    bus.reset();
    server.reset();
    grants.clear();
  };
  start();
  const open = new Router();
  const { clients = [], autoApprove = false, origin } = options;
  addOAuthRoutes(open, { grants, clients, autoApprove, origin });
  addVersionRoutes(open);
  addMetadataRoutes(
    open,
    () => org,
    grants,
    () => countCall(daily),
  );
  const router = createRouter(() => org, daily, bus);
  return {
    name: "salesforce",
    grants,
    answer: (exchange) =>
      refuseTooLong(exchange, org) ?? answer(exchange, open, { router, bus }, grants, daily),
    records: (object) => listLive(org.find(object)).map((record) => toPlainValues(record.values)),
    objects: () => [...org.stores.values()].map((store) => store.definition.name),
    setLimits: (wanted) => daily.set(wanted),
    limits: () => ({ daily: Number.isFinite(daily.max) ? daily.max : null, usedToday: daily.used }),
    reset: start,
    account: openOrgControls(() => org),
    streams: { bus, server },
  };
}

function createRouter(org: () => Org, daily: DailyLimit, bus: EventBus): Router {
  const router = new Router();
  addEventChannelRoutes(router, org, bus);
  addQueryRoutes(router, org);
  addCollectionRoutes(router, org);
  addCompositeRoutes(router, org, (exchange) => routeAs(bus, router, exchange));
  addDescribeRoutes(router, org);
  addReplicationRoutes(router, org);
  addSobjectRoutes(router, org);
  router.add("GET", `${API}/limits`, () => {
    const max = daily.shownMax();
    const body = {
      DailyApiRequests: { Max: max, Remaining: Math.max(0, max - daily.used) },
      DailyDeliveredPlatformEvents: { Max: bus.settings.allocation, Remaining: bus.deliveriesLeft },
      DataStorageMB: { Max: 1024, Remaining: 1000 },
    };
    return { status: 200, body };
  });
  router.add("GET", API, (exchange) => {
    const base = `/services/data/${exchange.params["version"] ?? ""}`;
    const names = ["sobjects", "query", "queryAll", "composite", "limits"];
    return { status: 200, body: Object.fromEntries(names.map((name) => [name, `${base}/${name}`])) };
  });
  return router;
}

function addVersionRoutes(router: Router): void {
  const body: Data[] = [];
  for (let version = VERSIONS.oldest; version <= VERSIONS.newest; version++) {
    body.push({ label: `Release ${version}`, url: `/services/data/v${version}.0`, version: `${version}.0` });
  }
  router.add("GET", "/services/data", () => ({ status: 200, body }));
}

function answer(
  exchange: SandboxExchange,
  open: Router,
  { router, bus }: { router: Router; bus: EventBus },
  grants: Grants,
  daily: DailyLimit,
): SandboxAnswer {
  const path =
    exchange.path.length > 1 && exchange.path.endsWith("/") ? exchange.path.slice(0, -1) : exchange.path;
  const request = { ...exchange, path };
  const free = open.find(request.method, path);
  if (free !== undefined) return free.handler({ ...request, params: free.params });
  const checked = grants.check(readBearer(exchange) ?? "");
  if (checked.state !== "valid") throw refuse(401, "INVALID_SESSION_ID", "Session expired or invalid");
  const answered = isUsedUp(daily) ? USED_UP : routeAs(bus, router, request);
  const limitInfo = `api-usage=${daily.used}/${daily.shownMax()}`;
  return { ...answered, headers: { ...answered.headers, "sforce-limit-info": limitInfo } };
}

const routeAs = (bus: EventBus, router: Router, exchange: SandboxExchange): SandboxAnswer =>
  bus.during(String(exchange.headers["sforce-call-options"] ?? ""), () => route(router, exchange));

/** Refuses a request that is too long. Like Salesforce's web server, it does so before checking the session. */
function refuseTooLong({ lineBytes, headerBytes }: SandboxExchange, org: Org): SandboxAnswer | undefined {
  const { headerBytes: max, tooLongStatus } = org.settings;
  if (lineBytes + headerBytes <= max) return undefined;
  const reason = tooLongStatus === 431 ? "Request Header Fields Too Large" : "URI Too Long";
  const body = `<html><head><title>${tooLongStatus} ${reason}</title></head><body><h1>${reason}</h1></body></html>`;
  return { status: tooLongStatus, headers: { "content-type": "text/html" }, body };
}

const USED_UP = buildErrorAnswer(403, "REQUEST_LIMIT_EXCEEDED", "TotalRequests Limit exceeded.");

function countCall(daily: DailyLimit): void {
  if (isUsedUp(daily)) throw new Refused(USED_UP);
}

/** Returns whether the daily limit is used up; otherwise counts the call. */
function isUsedUp(daily: DailyLimit): boolean {
  if (daily.used >= daily.max) return true;
  daily.used++;
  return false;
}

/** Converts refusals into answers, so that a part of a composite request can fail alone. */
function route(router: Router, exchange: SandboxExchange): SandboxAnswer {
  const found = router.find(exchange.method, exchange.path);
  if (found === undefined) {
    if (!router.knows(exchange.path))
      return buildErrorAnswer(404, "NOT_FOUND", "The requested resource does not exist");
    return buildErrorAnswer(405, "METHOD_NOT_ALLOWED", `HTTP Method '${exchange.method}' not allowed.`);
  }
  const version = Number(/^v(\d+)\.0$/.exec(found.params["version"] ?? "")?.[1] ?? 0);
  if (version < VERSIONS.oldest || version > VERSIONS.newest) {
    return buildErrorAnswer(404, "NOT_FOUND", "The requested resource does not exist");
  }
  try {
    return found.handler({ ...exchange, params: found.params });
  } catch (error) {
    if (error instanceof Refused) return error.answer;
    throw error;
  }
}
