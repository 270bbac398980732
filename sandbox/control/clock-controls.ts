// Controls of the sandbox's clock, of the accounts' settings, and of Salesforce's locators and field access.

import type { SandboxClock } from "../clock.ts";
import { asData, asText, isData, parseJson, type Data } from "../exchange.ts";
import type { Provider } from "../provider.ts";
import type { Router } from "../router.ts";
import { readTime } from "./record-controls.ts";

export function addClockRoutes(router: Router, clock: SandboxClock, providers: Provider[]): void {
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

export function addOrgRoutes(router: Router, providers: Provider[]): void {
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
