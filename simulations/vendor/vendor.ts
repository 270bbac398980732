/**
 * Simulated vendor, made from facts about its API: `connectors/<provider>/facts.json`. It does not use the provider's
 * description, and refuses what the vendor refuses.
 */
import type { Json, JsonObject } from "../../ground/json.ts";
import { getValueAt } from "../../connector-kit/calls/get-text-at.ts";
import type { Facts } from "../../connector-kit/facts/facts.ts";
import { buildListAnswer, buildRefusal, type VendorAnswer } from "./vendor-answer.ts";
import { listArgumentFaults, hasValues, listRequestFaults } from "./vendor-checks.ts";
import type { VendorQuery } from "./languages/asked.ts";
import { readVendorQuery } from "./languages/vendor-query.ts";
import { answerBatch, findBatches } from "./vendor-batch.ts";
import { answerComposite } from "./vendor-composite.ts";
import { answerDocument, type GraphqlSide } from "./vendor-fields.ts";
import { answerDeletionLog } from "./vendor-deletions.ts";
import { answerLog } from "./vendor-log.ts";
import { readBound, isListed, isWithin, readParentValue } from "./vendor-listed.ts";
import { chooseOrder, sortRecords, type ListOrder } from "./vendor-order.ts";
import { putWithin, showOnRequest } from "./vendor-members.ts";
import { cutPage, PageTokens, TOKEN_NAME } from "./vendor-pages.ts";
import { carryOutRecord, findFieldsPlace, type RecordWorld } from "./vendor-record.ts";
import { setAtPath, showRecord, VendorRecords, type VendorRecord } from "./vendor-records.ts";
import { takeRequest, readText, readValue, type RawRequest, type VendorRequest } from "./vendor-request.ts";
import { findRoutes, readPlaceholders, type ListRoute, type Route } from "./vendor-routes.ts";

/** Request as the vendor received it. */
interface SeenRequest {
  method: string;
  target: string;
  status: number;
  /** Object of the route that answered; absent if none did. */
  objectName?: string;
  action?: Route["action"] | "batch" | "links";
  /** Whether the request was inside another one. */
  isInner?: boolean;
  /** Number of inputs in a request with several records. */
  inputs?: number;
  /** Reason why it was refused. */
  fault?: string;
  /** Set for lists: the bound in milliseconds, the order, and whether the request names the bound's parameter. */
  boundMs?: number;
  order?: ListOrder;
  namesBound?: boolean;
  sizeText?: string;
  /** Set for logs: names of the wanted members. */
  fieldsText?: string;
  /** Set for lists: position of the page, and whether the vendor marks it as the last one. */
  place?: string;
  isLast?: boolean;
  /** Set for creates: the key under which the vendor creates only once. */
  key?: string;
  /** Set for upserts: the field, or the list of fields, by which the vendor finds the record. */
  keyName?: Json | undefined;
}

export interface VendorOptions {
  /** Values of the connection, for placeholders in paths. */
  connection?: Record<string, string>;
  /** Base URL, for addresses of next pages. */
  url?: string;
  /** Executor of documents, for GraphQL vendors. */
  graphql?: GraphqlSide;
}

export class Vendor {
  readonly records: VendorRecords;
  readonly seen: SeenRequest[] = [];
  /** Answer for the next request. */
  next: VendorAnswer | undefined;
  /** Records that a scan can reach if the vendor has a limit of depth: the vendor's own limit would take long. */
  depthRecords: number | undefined;
  /** Deprecated parts of the schema that documents used. */
  readonly deprecated = new Set<string>();
  /** Size of a page if requests cannot choose it: the vendor's own would take many records. */
  usualSize: number | undefined;
  /** Whether no page before the last is shorter than asked for, or empty. */
  hasFullPages = false;
  /** Entries of a page of a log at most: the vendor's own pages would take many. */
  mostEntries: number | undefined;
  /** Value that the vendor refuses in any field of a record. */
  refusedValue: string | undefined;
  /** Queries whose next pages have addresses of their own, by the position in the address. */
  private readonly located = new Map<string, { route: ListRoute; request: VendorRequest }>();
  /** Rest of a list within a record, by the position of its page. */
  private readonly inner = new Map<string, Json>();
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
    this.tokens = new PageTokens(this.tokens);
    this.next = undefined;
    this.depthRecords = undefined;
    this.usualSize = undefined;
    this.hasFullPages = false;
    this.mostEntries = undefined;
    this.refusedValue = undefined;
    this.located.clear();
    this.inner.clear();
  }

  /** Drops the issued addresses of next pages, as other clients can cause it at the vendor. */
  forgetPages(): void {
    this.located.clear();
  }

  /** `isInner`: the request is inside another one. */
  answer(raw: RawRequest, isInner = false): VendorAnswer {
    const ordered = this.next;
    this.next = undefined;
    const seen: SeenRequest = { method: raw.method, target: raw.target, status: 0 };
    const { longestAddress } = this.facts;
    const isTooLong = !isInner && longestAddress !== undefined && raw.target.length > longestAddress;
    const tooLong = isTooLong ? buildRefusal(this.facts, 414, "the address is too long") : undefined;
    const answer = ordered ?? tooLong ?? this.carryOut(takeRequest(raw), seen);
    seen.status = answer.status;
    if (isInner) seen.isInner = true;
    this.seen.push(seen);
    return answer;
  }

  private carryOut(request: VendorRequest, seen: SeenRequest): VendorAnswer {
    if (this.graphql && request.method === "POST" && request.path === this.facts.graphql?.path)
      return this.document(this.graphql, request, seen);
    const { routes, isKnownAddress } = findRoutes(this.facts, request, this.connection);
    const refused = (status: number, fault: string, body?: unknown): VendorAnswer => {
      seen.fault ??= fault;
      const answer = buildRefusal(this.facts, status, fault);
      return body === undefined ? answer : { ...answer, body: body as Json };
    };
    const log = answerDeletionLog(this.facts, this.records, request);
    if (log) {
      seen.objectName = log.objectName;
      return typeof log.answer === "string" ? refused(400, log.answer) : log.answer;
    }
    const { facts, records, connection, tokens, mostEntries, url } = this;
    const told = answerLog({ facts, records, connection, tokens, mostEntries, url }, request, seen);
    if (told !== undefined) return typeof told === "string" ? refused(400, told) : told;
    const several = this.several(request, seen, refused) ?? this.nextPage(request, seen, refused);
    if (several) return several;
    const fixed = this.facts.answers?.find(
      ({ method, path }) => method === request.method && path === request.path,
    );
    const reported = Object.values(this.facts.objects).find(
      ({ fields }) => fields && isAskedFor(fields, request),
    );
    if (reported?.fields) return { status: 200, headers: {}, body: reported.fields.body as Json };
    if (fixed) return { status: 200, headers: {}, body: fixed.body as Json };
    if (routes.length === 0)
      return isKnownAddress
        ? refused(405, `${request.method} ${request.path}: the vendor has no such method there`)
        : refused(404, `${request.path}: the vendor has no such address`);
    const own = request.query.some(([name]) => name === TOKEN_NAME) ? [TOKEN_NAME] : [];
    let fault: string | undefined;
    let missing: VendorAnswer | undefined;
    for (const route of routes) {
      // An address that the vendor issued itself has the query of the previous page.
      const [first] = listRequestFaults(route.fact, request, own, this.connection);
      if (first !== undefined) {
        fault ??= first;
        continue;
      }
      seen.objectName = route.objectName;
      seen.action = route.action;
      const answer = isListRoute(route)
        ? this.list(route, request, seen)
        : carryOutRecord(this.world, route, request, seen);
      if (typeof answer === "string") return refused(400, answer);
      if (!("missing" in answer)) return answer;
      // The records of several objects may have the same address.
      missing ??= isListRoute(route)
        ? refused(404, answer.missing)
        : refused(route.fact.missingStatus ?? 404, answer.missing, route.fact.missing);
    }
    return missing ?? refused(400, fault ?? "refused");
  }

  /** Answers a request with several records, or with several requests. */
  private several(
    request: VendorRequest,
    seen: SeenRequest,
    refused: (status: number, fault: string) => VendorAnswer,
  ): VendorAnswer | undefined {
    const { composite } = this.facts;
    let answer: VendorAnswer | string | undefined;
    if (composite && request.method === "POST" && request.path === composite.path)
      answer = answerComposite(composite, request, (inner) => this.answer(inner, true));
    for (const batch of findBatches(this.facts, request, this.connection)) {
      const { objectName, action, fact } = batch;
      seen.objectName = objectName;
      seen.action = action === "links" ? "links" : "batch";
      const [fault] = listRequestFaults(fact, request, [], this.connection);
      const inputs = readValue(request, `body.${fact.inputs}`);
      if (Array.isArray(inputs)) seen.inputs = inputs.length;
      const world = { ...this.world, fieldsAt: this.fieldsAt(objectName) };
      answer = fault ?? answerBatch(batch, request, world);
      if (typeof answer !== "string") return answer;
    }
    return typeof answer === "string" ? refused(400, answer) : answer;
  }

  /** Answers the request for a page with an address of its own. */
  private nextPage(
    request: VendorRequest,
    seen: SeenRequest,
    refused: (status: number, fault: string) => VendorAnswer,
  ): VendorAnswer | undefined {
    for (const { list, changes } of Object.values(this.facts.objects))
      for (const address of [list?.paging.address, changes?.paging.address]) {
        const { place } = (address !== undefined && readPlaceholders(address, request, {})) || {};
        if (place === undefined) continue;
        const rest = this.inner.get(place);
        if (rest !== undefined) return { status: 200, headers: {}, body: rest };
        const known = this.located.get(place);
        if (!known || request.method !== "GET") return refused(404, `there is no page ${place}`);
        seen.objectName = known.route.objectName;
        seen.action = known.route.action;
        const query: [string, string][] = [...known.request.query, [TOKEN_NAME, place]];
        const answer = this.list(known.route, { ...known.request, query, headers: request.headers }, seen);
        if (typeof answer === "string") return refused(400, answer);
        return "missing" in answer ? refused(404, answer.missing) : answer;
      }
    return undefined;
  }

  /** Returns the member of a record that has the written fields. */
  fieldsAt(objectName: string): string {
    return findFieldsPlace(this.facts, objectName);
  }

  private get world(): RecordWorld {
    return {
      facts: this.facts,
      records: this.records,
      refusalFor: (fields) => this.refusalFor(fields),
    };
  }

  private refusalFor(fields: JsonObject): string | undefined {
    const bad = Object.entries(fields).find(([, value]) => value === this.refusedValue);
    return bad && `${bad[0]}: the vendor does not take ${String(bad[1])}`;
  }

  private document(carryOut: GraphqlSide, request: VendorRequest, seen: SeenRequest): VendorAnswer {
    const { facts } = this;
    const { fault, deprecated, ...answer } = answerDocument({ facts, carryOut }, request, (route, call) => {
      seen.objectName = route.objectName;
      seen.action = route.action;
      const [wrong] = listArgumentFaults(route.fact, call);
      if (wrong !== undefined) return wrong;
      return isListRoute(route)
        ? this.list(route, call, seen)
        : carryOutRecord(this.world, route, call, seen);
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
    const bound = fact.language ? undefined : readBound(fact, request, seen);
    if (typeof bound === "string") return bound;
    const query = this.readQuery(route, request);
    if (typeof query === "string") return query;
    if (query?.boundMs !== undefined) Object.assign(seen, { namesBound: true, boundMs: query.boundMs });
    const order = query?.order ?? chooseOrder(fact, request);
    seen.order = order;
    const sizeText = fact.paging.size === undefined ? undefined : readText(request, fact.paging.size);
    if (sizeText !== undefined) seen.sizeText = sizeText;
    const { parent } = values;
    if (parent !== undefined && object.parent && !this.isParent(object.parent, parent))
      return { missing: `there is no ${object.parent.object} ${parent}` };
    const { most, ids } = fact.fields ?? {};
    const names = most === undefined ? [] : (readText(request, fact.fields?.to ?? "") ?? "").split(",");
    if (most !== undefined && names.length > most) return `${fact.fields?.to}: more than ${most} names`;
    const chosen = ids === undefined ? undefined : readText(request, ids)?.split(",");
    const fitting = this.records
      .of(objectName)
      .filter(({ id }) => chosen?.includes(id) ?? true)
      .filter((record) => isListed(route, request, record))
      .filter((record) => parent === undefined || record.parent === parent)
      .filter((record) => bound === undefined || isWithin(fact, object, record, bound))
      .filter((record) => query === undefined || query.matches(record));
    const { most: limit } = query ?? {};
    const listed = limit === undefined ? fitting : sortRecords(fitting, order, 0).slice(0, limit);
    const { liftedBy, records: deepest } = fact.paging.depth ?? {};
    const isLifted = liftedBy !== undefined && hasValues(fact, request, liftedBy);
    const depth = isLifted ? undefined : deepest && (this.depthRecords ?? deepest);
    // GitLab's pages without a limit go on behind an id.
    const paged = isLifted ? { ...fact, paging: { ...fact.paging, positional: false } } : fact;
    const { tokens, usualSize, hasFullPages } = this;
    const page = cutPage({ fact: paged, order, depth, tokens, usualSize, hasFullPages }, request, listed);
    if (typeof page === "string") return page;
    if (fact.paging.address !== undefined && page.token !== undefined)
      this.located.set(page.token, { route, request });
    if (query?.isCount)
      return buildListAnswer(fact, { ...page, records: [], more: false }, [], { url: this.url, request });
    const place = fact.paging.to === undefined ? undefined : readText(request, fact.paging.to);
    if (place !== undefined) seen.place = place;
    const { kind, more, linked, from } = fact.paging;
    const isTold = more ?? linked ?? (kind === "page" || kind === "offset" ? from : undefined);
    seen.isLast = isTold !== undefined && !page.more;
    if (bound !== undefined && listed.length === 0 && fact.since?.unchanged !== undefined)
      return { status: fact.since.unchanged, headers: {} };
    if (page.records.length === 0 && fact.whenEmpty === "404" && !page.more)
      return { missing: "there is nothing" };
    const shown = page.records.map(
      (record) => query?.show?.(record) ?? this.shownEntry(route, request, record),
    );
    const answer = buildListAnswer(fact, page, shown, { url: this.url + request.path, request });
    return putWithin(answer, fact, (index) =>
      this.records
        .of(objectName)
        .filter(({ hidden }) => hidden === index)
        .map((record) => this.shownEntry(route, request, record)),
    );
  }

  private readQuery(
    { fact, object, objectName }: ListRoute,
    request: VendorRequest,
  ): VendorQuery | string | undefined {
    if (!fact.language) return undefined;
    const records = this.records.of(objectName);
    const keepPage = (rest: Json): string => {
      const place = `01gCH${this.inner.size}PIAYA2-2`;
      this.inner.set(place, rest);
      return fact.paging.address?.replace("{place}", place) ?? place;
    };
    return readVendorQuery({ fact, object, fieldsAt: this.fieldsAt(objectName), records, keepPage }, request);
  }

  private shownEntry(
    { fact, object, objectName }: ListRoute,
    request: VendorRequest,
    record: VendorRecord,
  ): JsonObject {
    const asked = fact.fields && (readText(request, fact.fields.to) ?? "").split(/[\s,;]+/);
    const whole = showRecord(object, record, {
      list: fact,
      ...(asked && { asked }),
      fieldsAt: this.fieldsAt(objectName),
    });
    const shown = showOnRequest(whole, fact, request);
    const { path, plain } = record.shown ?? {};
    if (path !== undefined && plain && hasValues(fact, request, plain.by))
      setAtPath(shown, path, structuredClone(plain.value));
    if (fact.fields?.most !== undefined)
      return Object.fromEntries(
        Object.entries(shown).filter(([name]) => name === object.id.path || asked?.includes(name)),
      );
    if (fact.entries !== "ids") return shown;
    const id = getValueAt(shown, object.id.path) ?? record.id;
    return object.id.path
      .split(".")
      .reduceRight<Json>((inner, step) => ({ [step]: inner }), id) as JsonObject;
  }

  private isParent({ object, by }: { object: string; by?: string }, value: string): boolean {
    const above = this.facts.objects[object];
    return this.records
      .of(object)
      .some((record) => above !== undefined && readParentValue(above, record, by) === value);
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
