/**
 * A simulated vendor, made from facts about its API: `connectors/<provider>/facts.json`. It knows no description of the provider,
 * and refuses what the vendor refuses.
 */
import { nowMs } from "../../ground/clock.ts";
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";
import { valueAt } from "../../connector-kit/text-at.ts";
import type { Facts, ListFact } from "../../connector-kit/facts/facts.ts";
import { listAnswer, recordAnswer, refusal, type VendorAnswer } from "./vendor-answer.ts";
import { argumentFaults, hasValues, requestFaults } from "./vendor-checks.ts";
import { answerDocument, type GraphqlSide } from "./vendor-fields.ts";
import { chooseOrder, type ListOrder } from "./vendor-order.ts";
import { cutPage, PageTokens, TOKEN_NAME } from "./vendor-pages.ts";
import { shownRecord, VendorRecords, writtenFields, type VendorRecord } from "./vendor-records.ts";
import {
  extractPart,
  takeRequest,
  textIn,
  valueIn,
  type RawRequest,
  type VendorRequest,
} from "./vendor-request.ts";
import { findRoutes, type ListRoute, type RecordRoute, type Route } from "./vendor-routes.ts";
import { readTime, TIME_FORMS } from "./vendor-times.ts";

/** What the vendor saw. */
export interface SeenRequest {
  method: string;
  target: string;
  status: number;
  /** Of the route that answered; absent: none did. */
  objectName?: string;
  action?: Route["action"];
  /** Why it was refused. */
  fault?: string;
  /** Lists only: the bound in milliseconds, the order, and whether the request names where the bound goes. */
  boundMs?: number;
  order?: ListOrder;
  namesBound?: boolean;
  sizeText?: string;
  /** Lists only: where the page is, and whether the vendor says that none follows. */
  place?: string;
  isLast?: boolean;
  /** Creates only: the key under which the vendor creates once. */
  key?: string;
  /** Upserts only: the field, or the list of fields, by which the vendor is told to find the record. */
  keyName?: Json | undefined;
}

export interface VendorOptions {
  /** Values of the connection, for placeholders in paths. */
  connection?: Record<string, string>;
  /** Base URL, for addresses of next pages. */
  url?: string;
  /** What carries documents out, for vendors that speak GraphQL. */
  graphql?: GraphqlSide;
}

export class Vendor {
  readonly records: VendorRecords;
  readonly seen: SeenRequest[] = [];
  /** Answers the next request. */
  next: VendorAnswer | undefined;
  /** Pages that a walk can reach where the vendor has a limit of depth: that of the vendor would take long. */
  depthRecords: number | undefined;
  /** What documents used although the vendor gives it up. */
  readonly deprecated = new Set<string>();
  /** Records of a page where the request cannot choose: that of the vendor would take many records. */
  usualSize: number | undefined;
  url: string;
  private tokens = new PageTokens();
  private readonly facts: Facts;
  private readonly connection: Record<string, string>;
  private readonly graphql: GraphqlSide | undefined;

  constructor(facts: Facts, { connection = {}, url = "https://vendor.test", graphql }: VendorOptions = {}) {
    this.facts = facts;
    this.graphql = graphql;
    this.connection = connection;
    this.url = url;
    this.records = new VendorRecords(facts);
  }

  clear(): void {
    this.records.clear();
    this.seen.length = 0;
    this.tokens = new PageTokens();
    this.next = undefined;
    this.depthRecords = undefined;
    this.usualSize = undefined;
  }

  answer(raw: RawRequest): VendorAnswer {
    const ordered = this.next;
    this.next = undefined;
    const seen: SeenRequest = { method: raw.method, target: raw.target, status: 0 };
    const answer = ordered ?? this.carryOut(takeRequest(raw), seen);
    seen.status = answer.status;
    this.seen.push(seen);
    return answer;
  }

  private carryOut(request: VendorRequest, seen: SeenRequest): VendorAnswer {
    if (this.graphql && request.method === "POST" && request.path === this.facts.graphql?.path)
      return this.document(this.graphql, request, seen);
    const { routes, isKnownAddress } = findRoutes(this.facts, request, this.connection);
    const refused = (status: number, fault: string, body?: unknown): VendorAnswer => {
      seen.fault ??= fault;
      const answer = refusal(this.facts, status, fault);
      return body === undefined ? answer : { ...answer, body: body as Json };
    };
    const fixed = this.facts.answers?.find(
      ({ method, path }) => method === request.method && path === request.path,
    );
    const told = Object.values(this.facts.objects).find(
      ({ fields }) => fields && isAskedFor(fields, request),
    );
    if (told?.fields) return { status: 200, headers: {}, body: told.fields.body as Json };
    if (fixed) return { status: 200, headers: {}, body: fixed.body as Json };
    if (routes.length === 0)
      return isKnownAddress
        ? refused(405, `${request.method} ${request.path}: the vendor has no such method there`)
        : refused(404, `${request.path}: the vendor has no such address`);
    const own = request.query.some(([name]) => name === TOKEN_NAME) ? [TOKEN_NAME] : [];
    let fault: string | undefined;
    let missing: VendorAnswer | undefined;
    for (const route of routes) {
      // An address that the vendor gave itself has the query of the page before.
      const [first] = requestFaults(route.fact, request, own, this.connection);
      if (first !== undefined) {
        fault ??= first;
        continue;
      }
      seen.objectName = route.objectName;
      seen.action = route.action;
      const answer = isListRoute(route) ? this.list(route, request, seen) : this.record(route, request, seen);
      if (typeof answer === "string") return refused(400, answer);
      if (!("missing" in answer)) return answer;
      // The records of several objects may have one address.
      missing ??= isListRoute(route)
        ? refused(404, answer.missing)
        : refused(route.fact.missingStatus ?? 404, answer.missing, route.fact.missing);
    }
    return missing ?? refused(400, fault ?? "refused");
  }

  private document(carryOut: GraphqlSide, request: VendorRequest, seen: SeenRequest): VendorAnswer {
    const { facts } = this;
    const { fault, deprecated, ...answer } = answerDocument({ facts, carryOut }, request, (route, call) => {
      seen.objectName = route.objectName;
      seen.action = route.action;
      const [fault] = argumentFaults(route.fact, call);
      if (fault !== undefined) return fault;
      return isListRoute(route) ? this.list(route, call, seen) : this.record(route, call, seen);
    });
    if (fault !== undefined) seen.fault = fault;
    for (const one of deprecated) this.deprecated.add(one);
    return answer;
  }

  private list(
    route: ListRoute,
    request: VendorRequest,
    seen: SeenRequest,
  ): VendorAnswer | string | { missing: string } {
    const { fact, object, objectName, values } = route;
    const bound = this.boundIn(fact, request, seen);
    if (typeof bound === "string") return bound;
    const order = chooseOrder(fact, request);
    seen.order = order;
    const sizeText = fact.paging.size === undefined ? undefined : textIn(request, fact.paging.size);
    if (sizeText !== undefined) seen.sizeText = sizeText;
    const { parent } = values;
    if (parent !== undefined && object.parent && !this.isParent(object.parent, parent))
      return { missing: `there is no ${object.parent.object} ${parent}` };
    const { most, ids } = fact.fields ?? {};
    const names = most === undefined ? [] : (textIn(request, fact.fields?.to ?? "") ?? "").split(",");
    if (most !== undefined && names.length > most) return `${fact.fields?.to}: more than ${most} names`;
    const chosen = ids === undefined ? undefined : textIn(request, ids)?.split(",");
    const listed = this.records
      .of(objectName)
      .filter(({ id }) => chosen?.includes(id) ?? true)
      .filter((record) => isListed(route, request, record))
      .filter((record) => parent === undefined || record.parent === parent)
      .filter((record) => bound === undefined || isWithin(fact, object, record, bound));
    const { liftedBy, records: deepest } = fact.paging.depth ?? {};
    const isLifted = liftedBy !== undefined && hasValues(fact, request, liftedBy);
    const depth = isLifted ? undefined : deepest && (this.depthRecords ?? deepest);
    const page = cutPage(
      { fact, order, depth, tokens: this.tokens, usualSize: this.usualSize },
      request,
      listed,
    );
    if (typeof page === "string") return page;
    const place = fact.paging.to === undefined ? undefined : textIn(request, fact.paging.to);
    if (place !== undefined) seen.place = place;
    seen.isLast = fact.paging.more !== undefined && !page.more;
    if (bound !== undefined && listed.length === 0 && fact.since?.unchanged !== undefined)
      return { status: fact.since.unchanged, headers: {} };
    if (page.records.length === 0 && fact.whenEmpty === "404" && !page.more)
      return { missing: "there is nothing" };
    const shown = page.records.map((record) => this.shownEntry(route, request, record));
    return listAnswer(fact, page, shown, { url: this.url + request.path, request });
  }

  private shownEntry(
    { fact, object, objectName }: ListRoute,
    request: VendorRequest,
    record: VendorRecord,
  ): JsonObject {
    const asked = fact.fields && (textIn(request, fact.fields.to) ?? "").split(/[\s,;]+/);
    const shown = shownRecord(object, record, {
      list: fact,
      ...(asked && { asked }),
      fieldsAt: this.fieldsAt(objectName),
    });
    if (fact.fields?.most !== undefined)
      return Object.fromEntries(
        Object.entries(shown).filter(([name]) => name === object.id.path || asked?.includes(name)),
      );
    if (fact.entries !== "ids") return shown;
    const id = valueAt(shown, object.id.path) ?? record.id;
    return object.id.path
      .split(".")
      .reduceRight<Json>((inner, step) => ({ [step]: inner }), id) as JsonObject;
  }

  private isParent({ object, by }: { object: string; by?: string }, value: string): boolean {
    const above = this.facts.objects[object];
    return this.records
      .of(object)
      .some((record) => above !== undefined && parentValue(above, record, by) === value);
  }

  /** Returns the bound in milliseconds, or why the vendor refuses it. */
  private boundIn(
    { since }: ListFact,
    request: VendorRequest,
    seen: SeenRequest,
  ): number | string | undefined {
    const text = since && textIn(request, since.to);
    if (!since || text === undefined || text === "") return undefined;
    seen.namesBound = true;
    const bound =
      since.template === undefined
        ? text
        : extractPart(text, since.template, "since", TIME_FORMS[since.format]);
    if (bound === undefined) return undefined;
    const ms = readTime(bound, since.format, since.zone);
    if (ms === undefined)
      return `${since.to}: ${JSON.stringify(bound)} is not a time of the form ${since.format}`;
    seen.boundMs = ms;
    const oldest = since.oldestDays === undefined ? 0 : nowMs() - since.oldestDays * 86_400_000;
    return ms < oldest ? `${since.to}: older than ${since.oldestDays} days` : ms;
  }

  private record(
    route: RecordRoute,
    request: VendorRequest,
    seen: SeenRequest,
  ): VendorAnswer | string | { missing: string } {
    const { action, objectName, fact, object } = route;
    const known = this.records.of(objectName);
    const fields = writtenFields(fact, request.body);
    if (typeof fields === "string") return fields;
    const key = fact.idempotencyKey === undefined ? undefined : textIn(request, fact.idempotencyKey);
    if (key !== undefined) seen.key = key;
    if (action === "create") return this.answered(route, this.created(route, fields));
    if (fact.keyNameTo !== undefined) seen.keyName = valueIn(request, fact.keyNameTo);
    if (action === "upsert") return this.upserted(route, request, fields);
    const id = idIn(route, request);
    const record = known.find((one) => one.id === id);
    if (!record) return { missing: `there is no ${objectName} ${id}` };
    if (action === "delete") {
      known.splice(known.indexOf(record), 1);
      return this.answered(route, record);
    }
    if (action === "update") {
      Object.assign(record.fields, this.withoutId(fields, object.id.path));
      this.records.touch(record);
    }
    return this.answered(route, record);
  }

  /** The caller chooses the id where the vendor demands one. */
  private created({ objectName, fact, object }: RecordRoute, fields: JsonObject): VendorRecord {
    const { path } = object.id;
    const id = fields[path];
    if (!fact.body?.[fact.wrap ? `${fact.wrap}.${path}` : path]?.required || typeof id !== "string")
      return this.records.put(objectName, { fields: this.withoutId(fields, path) });
    const record = this.records.put(objectName, { fields });
    record.id = id;
    return record;
  }

  private withoutId = (fields: JsonObject, idPath: string): JsonObject =>
    Object.fromEntries(Object.entries(fields).filter(([name]) => name !== idPath));

  private upserted(route: RecordRoute, request: VendorRequest, fields: JsonObject): VendorAnswer | string {
    const { objectName, fact, values, object } = route;
    const beside = (name: string) =>
      fact.keyTo === undefined ? undefined : valueIn(request, fact.keyTo.replace("{key}", name));
    const readValue = (name: string) => values[name] ?? beside(name) ?? fields[name];
    const key = values["key"] ?? fact.keys?.find((name) => readValue(name) !== undefined) ?? fact.keys?.[0];
    const value = values["value"] ?? values["id"] ?? (key === undefined ? undefined : readValue(key));
    if (key === undefined || value === undefined || isJsonObject(value))
      return "nothing says which record is meant";
    const known = this.records.of(objectName).find((record) => String(record.fields[key]) === String(value));
    const record = known ?? this.records.put(objectName, { fields: {} });
    if (fact.keyIsId) record.id = String(value);
    Object.assign(record.fields, this.withoutId(fields, object.id.path), { [key]: value });
    if (known) this.records.touch(record);
    return this.answered(route, record);
  }

  private answered({ objectName, object, fact }: RecordRoute, record: VendorRecord): VendorAnswer {
    const shown = shownRecord(object, record, { list: object.list, fieldsAt: this.fieldsAt(objectName) });
    return recordAnswer(fact, shown, record.id);
  }

  /** Returns the member of a record that has the fields which are written. */
  fieldsAt(objectName: string): string {
    const { create, update, example } = this.facts.objects[objectName] ?? {};
    const fact = create ?? update;
    if (!fact) return "";
    if (fact.fieldsAt !== undefined) return fact.fieldsAt;
    const { wrap = "", record = "" } = fact;
    if (wrap === "" || wrap === record) return "";
    if (record !== "" && wrap.startsWith(`${record}.`)) return wrap.slice(record.length + 1);
    const last = wrap.split(".").at(-1) ?? "";
    return example !== undefined && isJsonObject(example[last]) ? last : "";
  }
}

const isAskedFor = (
  { path, query = {} }: NonNullable<Facts["objects"][string]["fields"]>,
  request: VendorRequest,
): boolean =>
  request.method === "GET" &&
  request.path === path &&
  Object.entries(query).every(([name, value]) =>
    request.query.some((given) => given[0] === name && given[1] === value),
  );

const isListRoute = (route: Route): route is ListRoute =>
  route.action === "list" || route.action === "changes";

/** Returns what `{parent}` stands for in the lists below a record. */
export function parentValue(
  object: Facts["objects"][string],
  record: VendorRecord,
  by: string | undefined,
): string {
  if (by === undefined) return record.id;
  const value = valueAt(shownRecord(object, record), by);
  return value === undefined ? record.id : String(value);
}

function idIn({ values, fact, object }: RecordRoute, request: VendorRequest): string | undefined {
  if (values["id"] !== undefined) return values["id"];
  const value = valueIn(
    request,
    fact.idTo ?? `body.${fact.wrap === undefined ? "" : `${fact.wrap}.`}${object.id.path}`,
  );
  return value === undefined || value === null || isJsonObject(value)
    ? undefined
    : String(Array.isArray(value) ? value[0] : value);
}

/** Whether a record is in this list, as far as its state goes. */
function isListed({ fact, hidden: only }: ListRoute, request: VendorRequest, record: VendorRecord): boolean {
  if (only !== undefined) return record.hidden === only;
  if (fact.deleted?.only && fact.deleted.shownBy && hasValues(fact, request, fact.deleted.shownBy))
    return record.deleted === true;
  const alone = (fact.hidden ?? []).findIndex(
    (entry) => entry.only && entry.shownBy && hasValues(fact, request, entry.shownBy),
  );
  if (alone !== -1) return record.hidden === alone;
  if (record.deleted) {
    const { shownBy } = fact.deleted ?? {};
    return fact.deleted !== undefined && (shownBy === undefined || hasValues(fact, request, shownBy));
  }
  if (record.hidden === undefined) return true;
  const { shownBy } = fact.hidden?.[record.hidden] ?? {};
  return shownBy !== undefined && hasValues(fact, request, shownBy);
}

function isWithin(
  { since }: ListFact,
  { created }: Facts["objects"][string],
  record: VendorRecord,
  boundMs: number,
): boolean {
  const isOfCreation = since?.field !== undefined && since.field === created?.path;
  const ms = isOfCreation ? record.createdMs : record.changedMs;
  const compared = since?.format === "date" ? Math.floor(ms / 86_400_000) * 86_400_000 : ms;
  return since?.inclusive === false ? compared > boundMs : compared >= boundMs;
}
