// Simulated HubSpot: paths of all versions, authentication, rate limits, then the endpoint.

import { randomUUID } from "node:crypto";
import {
  asData,
  asText,
  readBearer,
  Refused,
  type SandboxAnswer,
  type SandboxExchange,
} from "../exchange.ts";
import { toPlainValues } from "../records/lazy-values.ts";
import { Grants } from "../oauth/grants.ts";
import type { KnownClient, Provider } from "../provider.ts";
import { Router } from "../router.ts";
import type { SandboxClock } from "../clock.ts";
import { Account, PORTAL_ID } from "./account.ts";
import { openAccountControls } from "./account-controls.ts";
import { addAssociationRoutes } from "./association-routes.ts";
import { addBatchRoutes } from "./batch.ts";
import { addBatchReadRoutes } from "./batch-read.ts";
import { buildErrorAnswer, refuse } from "./errors.ts";
import { Journal } from "./journal.ts";
import { addJournalFiles, addJournalRoutes } from "./journal-routes.ts";
import { HubSpotLimits } from "./limits.ts";
import { addListRoutes } from "./lists.ts";
import { addOAuthRoutes } from "./oauth.ts";
import { addObjectRoutes } from "./objects.ts";
import { toCanonicalPath } from "./paths.ts";
import { addOwnerRoutes } from "./owners.ts";
import { addPropertyRoutes } from "./properties.ts";
import { addSchemaRoutes } from "./schemas.ts";
import { addSearchRoutes } from "./search.ts";
import { seedHubSpot } from "./seed.ts";
import { DEFAULT_SETTINGS } from "./stored-record.ts";
import type { AccountChange } from "./account-change.ts";
import { Webhooks } from "./webhooks.ts";

export type HubSpotOptions = {
  origin(): string;
  clock: SandboxClock;
  limits?: "real" | "off";
  tokenLifetimeSeconds?: number;
  clients?: KnownClient[];
  autoApprove?: boolean;
  /** Whether an unknown property fails a whole batch create with trace ids; by default it fails only its input. */
  unknownPropertyFailsBatch?: boolean;
  /** Whether results of batches have the trace ids of their inputs; by default they do not. */
  echoTraceIds?: boolean;
};

/** Token of a private app that is always valid. */
export const STATIC_TOKEN = "pat-na1-00000000-0000-4000-8000-000000004100";

type HubSpot = Provider & { webhooks: Webhooks; journal: Journal };

export function createHubSpot(options: HubSpotOptions): HubSpot {
  const webhooks = new Webhooks();
  const journal = new Journal(options.clock);
  const limits = new HubSpotLimits(options.limits ?? "real");
  const grants = new Grants({
    rotate: false,
    sliding: false,
    lifetimeSeconds: options.tokenLifetimeSeconds ?? 1800,
    accessTokenText: (random) => `CNsb${random}`,
    refreshTokenText: (random) => `na1-${random}`,
  });
  let isByApp = false;
  const report = (change: AccountChange): void => {
    webhooks.changed(change, options.clock.now(), isByApp);
    journal.changed(change);
  };
  const fresh = (): Account => new Account({ clock: options.clock, onChange: report, ...DEFAULT_SETTINGS });
  let account = fresh();
  const start = (): void => {
    webhooks.reset();
    journal.reset();
    account = fresh();
    seedHubSpot(account);
    grants.clear();
    grants.mint({
      scopes: ["oauth"],
      lifetimeSeconds: Number.POSITIVE_INFINITY,
      refresh: false,
      accessToken: STATIC_TOKEN,
    });
  };
  start();
  const open = new Router();
  const { clients = [], autoApprove = false } = options;
  const grantsApp = (scope: string) => journal.settings.granted || !scope.startsWith("developer.");
  addOAuthRoutes(open, { grants, clients, autoApprove, grantsApp });
  addJournalFiles(open, journal);
  const router = createRouter(() => account, options);
  addJournalRoutes(router, { journal, grants, origin: options.origin });
  const checkSize = (exchange: SandboxExchange): SandboxAnswer => {
    if (exchange.lineBytes > account.settings.lineCharacters)
      return { status: 414, headers: { "content-type": "text/html" }, body: TOO_LONG };
    isByApp = true;
    try {
      return answer(exchange, open, router, grants, limits);
    } finally {
      isByApp = false;
    }
  };
  return {
    name: "hubspot",
    grants,
    answer: checkSize,
    records: (object) => {
      const table = account.find(object)?.table;
      const live = table === undefined ? [] : [...table.select({})].filter((record) => !record.archived);
      return live.map((record) => ({ id: record.id, ...toPlainValues(record.properties) }));
    },
    objects: () => [...account.stores.values()].map((store) => store.type.name),
    setLimits: (wanted) => limits.set(wanted),
    limits: () => limits.show(),
    reset: start,
    webhooks,
    journal,
    account: openAccountControls(() => account),
  };
}

function createRouter(account: () => Account, options: HubSpotOptions): Router {
  const router = new Router();
  addBatchRoutes(router, account, options);
  addBatchReadRoutes(router, account);
  addSearchRoutes(router, account);
  addObjectRoutes(router, account, options.origin);
  addAssociationRoutes(router, account);
  addPropertyRoutes(router, account);
  addSchemaRoutes(router, account);
  router.add("GET", "/integrations/v1/me", () => ({ status: 200, body: ME }));
  for (const version of ["v3", "dated"]) {
    router.add("GET", `/account-info/${version}/details`, () => ({ status: 200, body: DETAILS }));
  }
  addOwnerRoutes(router, options.origin);
  addListRoutes(router);
  return router;
}

const TOO_LONG =
  "<html>\r\n<head><title>414 Request-URI Too Large</title></head>\r\n<body>\r\n<center><h1>414 Request-URI Too Large</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n";
const ME = {
  portalId: PORTAL_ID,
  timeZone: "US/Eastern",
  currency: "USD",
  utcOffsetMilliseconds: -18_000_000,
  utcOffset: "-05:00",
};
const DETAILS = {
  portalId: PORTAL_ID,
  accountType: "STANDARD",
  timeZone: "US/Eastern",
  companyCurrency: "USD",
  additionalCurrencies: [],
  utcOffset: "-05:00",
  utcOffsetMilliseconds: -18_000_000,
  uiDomain: "app.hubspot.com",
  dataHostingLocation: "na1",
};
function answer(
  exchange: SandboxExchange,
  open: Router,
  router: Router,
  grants: Grants,
  limits: HubSpotLimits,
): SandboxAnswer {
  const free = open.find(exchange.method, exchange.path);
  if (free !== undefined) return free.handler({ ...exchange, params: free.params });
  const path = toCanonicalPath(exchange.path);
  const token = authenticate(exchange, grants);
  const tooMany = limits.count(token, path.endsWith("/search"));
  const answered = tooMany ?? route(router, { ...exchange, path, dated: path !== exchange.path });
  // Searches have a separate limit, and no rate headers.
  const rate = path.endsWith("/search") ? {} : limits.headers(token);
  const correlationId = asText(asData(answered.body)["correlationId"]) ?? randomUUID();
  return {
    ...answered,
    headers: { ...rate, "x-hubspot-correlation-id": correlationId, ...answered.headers },
  };
}

function route(router: Router, exchange: SandboxExchange): SandboxAnswer {
  const found = router.find(exchange.method, exchange.path);
  if (found === undefined) {
    return router.knows(exchange.path)
      ? buildErrorAnswer(405, "Method Not Allowed")
      : { status: 404, body: "" };
  }
  try {
    return found.handler({ ...exchange, params: found.params });
  } catch (error) {
    if (error instanceof Refused) return error.answer;
    throw error;
  }
}

/** Checks the token and returns it. */
function authenticate(exchange: SandboxExchange, grants: Grants): string {
  const token = readBearer(exchange);
  const checked = grants.check(token ?? "");
  if (token !== undefined && checked.state === "valid") return token;
  if (checked.state === "expired") {
    const seconds = Math.max(1, Math.round((Date.now() - checked.expiredAt) / 1000));
    throw refuse(401, `The OAuth token used to make this call expired ${seconds} second(s) ago.`, {
      category: "EXPIRED_AUTHENTICATION",
      context: { "expire time": [new Date(checked.expiredAt).toISOString()] },
    });
  }
  throw refuse(
    401,
    "Authentication credentials not found. This API supports OAuth 2.0 authentication and you can find more details at https://developers.hubspot.com/docs/methods/auth/oauth-overview",
    { category: "INVALID_AUTHENTICATION" },
  );
}
