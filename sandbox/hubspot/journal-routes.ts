// Endpoints of HubSpot's webhooks journal, and the sandbox's controls of it.

import {
  asData,
  asList,
  asText,
  readBearer,
  isData,
  parseJson,
  type Data,
  type SandboxAnswer,
  type SandboxExchange,
} from "../exchange.ts";
import type { Grants } from "../oauth/grants.ts";
import type { Router } from "../router.ts";
import { buildErrorAnswer, refuseInvalid, refuseNotFound, refuse } from "./errors.ts";
import type { Journal, JournalFile, JournalSettings } from "./journal.ts";

const SCOPE = "developer.webhooks_journal";
const FILES = "/webhooks-journal-files";

/** `origin` returns that of the files' addresses. */
type JournalServices = { journal: Journal; grants: Grants; origin(): string };

export function addJournalRoutes(router: Router, { journal, grants, origin }: JournalServices): void {
  const base = "/webhooks-journal/journal/:version";
  const buildAnswer = (file: JournalFile | null | undefined): SandboxAnswer => {
    if (file === undefined || file === null) return { status: 204 };
    const { key, expiresAt } = journal.openAddress(file);
    const url = `${origin()}/hubspot${FILES}/${key}`;
    return { status: 200, body: { url, expiresAt, currentOffset: file.offset } };
  };
  const read = (path: string, find: (exchange: SandboxExchange) => JournalFile | null | undefined): void =>
    router.add("GET", `${base}/${path}`, (exchange) => {
      requireScope(grants, exchange, `${SCOPE}.read`);
      return buildAnswer(find(exchange));
    });
  read("earliest", () => journal.earliest());
  read("latest", () => journal.latest());
  read("offset/:offset/next", ({ params }) => {
    const file = journal.next(params["offset"] ?? "");
    if (file === undefined) throw refuseNotFound("the offset does not exist");
    return file;
  });
  addSubscriptionRoutes(router, journal, grants);
}

function addSubscriptionRoutes(router: Router, journal: Journal, grants: Grants): void {
  const path = "/webhooks-journal/subscriptions/:version";
  router.add("GET", path, (exchange) => {
    requireScope(grants, exchange, `${SCOPE}.subscriptions.read`);
    return { status: 200, body: { results: [...journal.subscriptions.values()] } };
  });
  router.add("POST", path, (exchange) => {
    requireScope(grants, exchange, `${SCOPE}.subscriptions.write`);
    const { subscriptionType, portalId, objectTypeId, actions, properties } = asData(
      parseJson(exchange.body),
    );
    const type = asText(subscriptionType);
    const object = asText(objectTypeId);
    if (type === undefined || object === undefined || typeof portalId !== "number") {
      throw refuseInvalid("subscriptionType, portalId and objectTypeId are required");
    }
    const subscription = journal.subscribe({
      subscriptionType: type,
      portalId,
      objectTypeId: object,
      actions: readTexts(actions),
      properties: readTexts(properties),
    });
    if (subscription === undefined) throw refuse(409, "the subscription exists", { category: "CONFLICT" });
    return { status: 200, body: subscription };
  });
  router.add("DELETE", `${path}/:id`, (exchange) => {
    requireScope(grants, exchange, `${SCOPE}.subscriptions.write`);
    if (!journal.subscriptions.delete(Number(exchange.params["id"]))) throw refuseNotFound();
    return { status: 204 };
  });
}

/** Adds the addresses of files. They need no token: they are signed, and expire. */
export function addJournalFiles(router: Router, journal: Journal): void {
  router.add("GET", `${FILES}/:key`, ({ params }) => {
    const text = journal.textAt(params["key"] ?? "");
    if (text === undefined) return buildErrorAnswer(403, "the address is not valid any more");
    return { status: 200, headers: { "content-type": "application/json" }, body: text };
  });
}

function requireScope(grants: Grants, exchange: SandboxExchange, scope: string): void {
  const checked = grants.check(readBearer(exchange) ?? "");
  if (checked.state === "valid" && checked.token.grant.scopes.includes(scope)) return;
  throw refuse(403, `This app hasn't been granted all required scopes to make this call: ${scope}`, {
    category: "MISSING_SCOPES",
  });
}

const readTexts = (value: unknown): string[] => asList(value).flatMap((item) => asText(item) ?? []);

export function addJournalControls(router: Router, journal: Journal): void {
  const path = "/sandbox/hubspot/journal";
  const showSettings = (): SandboxAnswer => ({
    status: 200,
    body: {
      ...journal.settings,
      kept: journal.kept,
      reads: journal.reads.slice(-100),
      subscriptions: [...journal.subscriptions.values()],
    },
  });
  router.add("GET", path, showSettings);
  router.add("POST", path, (exchange) => {
    journal.settings = { ...journal.settings, ...readSettings(asData(parseJson(exchange.body))) };
    return showSettings();
  });
  router.add("POST", `${path}/emit`, (exchange) => {
    const events = asList(asData(parseJson(exchange.body))["events"]).filter(isData);
    journal.emit(events);
    return { status: 202, body: { events: events.length } };
  });
  router.add("POST", `${path}/expire`, () => {
    journal.expire();
    return { status: 202, body: {} };
  });
}

const FLAGS = ["granted", "conflict"] as const;
const NUMBERS = ["batchDelayMs", "addressMs"] as const;

function readSettings(body: Data): Partial<JournalSettings> {
  const settings: Partial<JournalSettings> = {};
  for (const [name, value] of Object.entries(body)) {
    const flag = FLAGS.find((one) => one === name);
    const number = NUMBERS.find((one) => one === name);
    if (flag !== undefined && typeof value === "boolean") settings[flag] = value;
    else if (number !== undefined && typeof value === "number") settings[number] = value;
    else throw new RangeError(`${name} is no setting of the journal, or has a wrong type`);
  }
  return settings;
}
