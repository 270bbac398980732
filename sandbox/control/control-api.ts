// The HTTP side of the controls: faults, requests, records, tokens, limits, reset, catalog.

import {
  asData,
  asText,
  type Data,
  isData,
  parseJson,
  Refused,
  type SandboxAnswer,
  type SandboxExchange,
} from "../exchange.ts";
import type { Provider } from "../provider.ts";
import { Router } from "../router.ts";
import type { SandboxClock } from "../clock.ts";
import type { Journal } from "../hubspot/journal.ts";
import { addJournalControls } from "../hubspot/journal-routes.ts";
import { addWebhookControls } from "../hubspot/webhook-routes.ts";
import type { Webhooks } from "../hubspot/webhooks.ts";
import { addStreamControls, type SalesforceStreams } from "../salesforce/stream-controls.ts";
import { addRecordRoutes, readTime } from "./record-controls.ts";
import { readFault } from "./fault.ts";
import type { Faults } from "./faults.ts";
import type { RequestFilter, RequestLog } from "./request-log.ts";
import { type MintOptions, mintToken } from "./tokens.ts";

type Controls = {
  providers: Provider[];
  faults: Faults;
  log: RequestLog;
  clock: SandboxClock;
  webhooks: Webhooks;
  journal: Journal;
  streams: SalesforceStreams;
  catalog(): unknown;
  reset(): void;
};

export function createControlApi(controls: Controls): (exchange: SandboxExchange) => SandboxAnswer {
  const router = new Router();
  addFaultRoutes(router, controls);
  addRequestRoutes(router, controls);
  addAccountRoutes(router, controls);
  addRecordRoutes(
    router,
    (name) => findProvider(controls, name),
    () => controls.clock.now(),
  );
  addClockRoutes(router, controls.clock, controls.providers);
  addOrgRoutes(router, controls.providers);
  addWebhookControls(router, controls.webhooks);
  addJournalControls(router, controls.journal);
  addStreamControls(router, controls.streams);
  return (exchange) => {
    const found = router.find(exchange.method, exchange.path);
    if (found === undefined) return { status: 404, body: { message: "no such control" } };
    try {
      return found.handler({ ...exchange, params: found.params });
    } catch (error) {
      if (error instanceof RangeError) return { status: 400, body: { message: error.message } };
      throw error;
    }
  };
}

function addFaultRoutes(router: Router, { faults }: Controls): void {
  router.add("POST", "/sandbox/faults", (exchange) => {
    return { status: 201, body: { id: faults.add(readFault(parseJson(exchange.body))) } };
  });
  router.add("GET", "/sandbox/faults", () => ({ status: 200, body: { faults: faults.list() } }));
  router.add("DELETE", "/sandbox/faults", () => {
    faults.clear();
    return { status: 204 };
  });
  router.add("DELETE", "/sandbox/faults/:id", (exchange) => {
    faults.clear(exchange.params["id"]);
    return { status: 204 };
  });
}

function addRequestRoutes(router: Router, { log }: Controls): void {
  router.add("GET", "/sandbox/requests", ({ query }) => {
    const filter: RequestFilter = {};
    for (const name of ["provider", "method", "path"] as const) {
      const value = query.get(name);
      if (value !== null) filter[name] = value;
    }
    const limit = Number(query.get("limit") ?? Number.NaN);
    if (Number.isInteger(limit) && limit > 0) filter.limit = limit;
    return { status: 200, body: { requests: log.list(filter) } };
  });
  router.add("GET", "/sandbox/requests/counts", ({ query }) => ({
    status: 200,
    body: { counts: log.counts(query.get("provider") ?? undefined) },
  }));
  router.add("DELETE", "/sandbox/requests", () => {
    log.clear();
    return { status: 204 };
  });
}

function addAccountRoutes(router: Router, controls: Controls): void {
  router.add("GET", "/sandbox/catalog", () => ({ status: 200, body: controls.catalog() }));
  router.add("POST", "/sandbox/reset", () => {
    controls.reset();
    return { status: 204 };
  });
  router.add("POST", "/sandbox/tokens", (exchange) => {
    const body = asData(parseJson(exchange.body));
    const provider = findProvider(controls, body["provider"]);
    return { status: 201, body: mintToken(provider.grants, readMintOptions(body)) };
  });
  router.add("POST", "/sandbox/tokens/expire", (exchange) => {
    for (const provider of findProviders(controls, exchange)) provider.grants.expireAll();
    return { status: 204 };
  });
  router.add("POST", "/sandbox/tokens/revoke", (exchange) => {
    for (const provider of findProviders(controls, exchange)) provider.grants.revokeAll();
    return { status: 204 };
  });
  router.add("POST", "/sandbox/limits", (exchange) => {
    const body = asData(parseJson(exchange.body));
    for (const provider of controls.providers) {
      const limits = body[provider.name];
      if (limits === "off" || limits === "real" || isData(limits)) provider.setLimits(limits);
      else if (limits !== undefined)
        throw refuseInput(`${provider.name} must be "off", "real" or an object of limits`);
    }
    return { status: 200, body: readLimits(controls) };
  });
  router.add("GET", "/sandbox/limits", () => ({ status: 200, body: readLimits(controls) }));
}

function readLimits(controls: Controls): Record<string, unknown> {
  return Object.fromEntries(controls.providers.map((provider) => [provider.name, provider.limits()]));
}

function readMintOptions(body: Record<string, unknown>): MintOptions {
  const { expiresInSeconds, scopes } = body;
  const list = Array.isArray(scopes) ? scopes.flatMap((scope) => asText(scope) ?? []) : undefined;
  return {
    ...(typeof expiresInSeconds === "number" ? { expiresInSeconds } : {}),
    ...(list === undefined ? {} : { scopes: list }),
    ...(body["static"] === true ? { static: true } : {}),
    ...(typeof body["clientId"] === "string" ? { clientId: body["clientId"] } : {}),
  };
}

function findProviders(controls: Controls, exchange: SandboxExchange): Provider[] {
  const name = asData(parseJson(exchange.body))["provider"];
  return name === undefined ? controls.providers : [findProvider(controls, name)];
}

function findProvider(controls: Controls, name: unknown): Provider {
  const found = controls.providers.find((provider) => provider.name === name);
  if (found === undefined) throw refuseInput('provider must be "hubspot" or "salesforce"');
  return found;
}

function refuseInput(message: string): Refused {
  return new Refused({ status: 400, body: { message } });
}

function addClockRoutes(router: Router, clock: SandboxClock, providers: Provider[]): void {
  router.add("GET", "/sandbox/clock", () => ({ status: 200, body: showClock(clock) }));
  router.add("POST", "/sandbox/clock", (exchange) => {
    const body = asData(parseJson(exchange.body));
    const set = readTime(body, "now");
    if (set !== undefined) clock.set(set);
    if (body["advanceMs"] !== undefined) clock.advance(readNumber(body, "advanceMs"));
    if (body["dateSkewMs"] !== undefined) clock.dateSkewMs = readNumber(body, "dateSkewMs");
    return { status: 200, body: showClock(clock) };
  });
  const showSettings = (): Data =>
    Object.fromEntries(providers.map(({ name, account }) => [name, account.settings()]));
  router.add("GET", "/sandbox/settings", () => ({ status: 200, body: showSettings() }));
  router.add("POST", "/sandbox/settings", (exchange) => {
    const body = asData(parseJson(exchange.body));
    for (const { name, account } of providers) {
      const wanted = body[name];
      if (isData(wanted)) account.set(wanted);
      else if (wanted !== undefined) throw new RangeError(`${name} must be an object of settings`);
    }
    return { status: 200, body: showSettings() };
  });
}

function addOrgRoutes(router: Router, providers: Provider[]): void {
  router.add("POST", "/sandbox/locators/expire", () => {
    for (const { account } of providers) account.expireCursors();
    return { status: 204 };
  });
  router.add("POST", "/sandbox/fields", (exchange) => {
    const body = asData(parseJson(exchange.body));
    const [object, field] = [asText(body["object"]) ?? "", asText(body["field"]) ?? ""];
    const provider = providers.find(({ name }) => name === body["provider"]);
    if (provider === undefined) throw new RangeError('provider must be "hubspot" or "salesforce"');
    provider.account.hideField(object, field, body["hidden"] !== false);
    return { status: 204 };
  });
}

function showClock(clock: SandboxClock): Data {
  const { offsetMs, dateSkewMs } = clock;
  return { now: new Date(clock.now()).toISOString(), offsetMs, dateSkewMs };
}

function readNumber(body: Data, name: string): number {
  const value = body[name];
  if (typeof value !== "number" || !Number.isFinite(value)) throw new RangeError(`${name} must be a number`);
  return value;
}
