/** Account at a provider that is simulated from its description: the same rules, applied in the opposite direction. */
import { fillPath } from "../../connector-kit/declarative/fill-path.ts";
import { buildPlans, type ObjectPlan } from "../../connector-kit/declarative/object-plan.ts";
import type { Description, WriteRules } from "../../connector-kit/declarative/rules/description.ts";
import { readCondition } from "../../connector-kit/declarative/write/record-result.ts";
import { nestValue, formatTime } from "../../connector-kit/declarative/request-parts.ts";
import { valueAt } from "../../connector-kit/calls/text-at.ts";
import { nowMs } from "../../ground/clock.ts";
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";
import { answerPacked, buildRefusedBody, withValue, writeList, type ListTarget } from "./simulated-batch.ts";
import { answerGraphql } from "./simulated-graphql.ts";
import { answerFieldPage } from "./simulated-fields.ts";
import {
  extractFilled,
  isFurtherList,
  buildPage,
  listSelected,
  answerStart,
  type ListQuery,
} from "./simulated-list.ts";
import { hasBody, hasConstants, readId, isStale, readFieldsAlone } from "./simulated-beside.ts";
import { listEntries, showTypedFields } from "./simulated-values.ts";
import {
  buildAccountValues,
  extractFromPath,
  buildAtPath,
  REFUSED,
  type SimulatedAnswer,
  type StoredRecord,
  type SimulatedRequest,
} from "./simulated-exchange.ts";
import { readUpsert } from "./simulated-write.ts";

/** Records by object, in the order of their creation. */
export class SimulatedAccount {
  readonly #description: Description;
  readonly #plans: ObjectPlan[];
  readonly #records = new Map<string, Map<string, StoredRecord>>();
  readonly #answersByKey = new Map<string, SimulatedAnswer>();
  #lastId = 1_000;
  #lastChange = 0;

  constructor(description: Description) {
    this.#description = description;
    this.#plans = buildPlans(description, buildAccountValues(description));
  }

  /** Returns the account's time in milliseconds since 1970. Changes are whole seconds apart. */
  get now(): number {
    return Math.max(this.#lastChange, nowMs());
  }

  records(object: string): StoredRecord[] {
    return [...this.#of(object).values()];
  }

  /** Creates or changes a record without the API. */
  put(object: string, fields: JsonObject, id = this.#newId()): string {
    this.#lastChange = Math.max(this.#lastChange + 1_000, Math.floor(nowMs() / 1_000) * 1_000);
    const known = this.#of(object).get(id);
    this.#of(object).set(id, {
      id,
      fields: { ...known?.fields, ...fields },
      changedAt: this.#lastChange,
      version: (known?.version ?? -1) + 1,
      ...this.#below(object, known),
    });
    return id;
  }

  /** Assigns a new record to one of two parents, alternately; a third parent has no list. */
  #below(object: string, known: StoredRecord | undefined): Pick<StoredRecord, "parent"> {
    if (known) return known.parent === undefined ? {} : { parent: known.parent };
    const { parent } = this.#plans.find(({ name }) => name === object) ?? {};
    const above = parent && this.#plans.find(({ name }) => name === parent.object);
    if (!above) return {};
    while (this.#of(above.name).size < 3)
      this.put(
        above.name,
        parent.by === undefined ? {} : nestValue(parent.by, `p${this.#of(above.name).size}@x.example`),
      );
    const first = [...this.#of(above.name).values()].slice(0, 2)[this.#of(object).size % 2];
    const shown = first && valueAt(this.#shown(above, first), parent.by ?? above.idPath);
    return { parent: String(shown) };
  }

  remove(object: string, id: string): boolean {
    return this.#of(object).delete(id);
  }

  answer(request: SimulatedRequest): SimulatedAnswer {
    const url = new URL(request.path, "http://simulation.invalid");
    const { graphql, errors } = this.#description;
    if (graphql && request.method === "POST" && request.path === graphql.path)
      return answerGraphql(this.#plans, request.body, {
        records: (object) => this.records(object),
        put: (object, fields, id) => this.put(object, fields, id),
        remove: (object, id) => this.remove(object, id),
        show: (plan, record, selected) => this.#shown(plan, record, selected),
        refusal: (message) => ({ ...this.refusal(200, message) }),
        missing:
          Object.keys(errors.texts ?? {}).find((text) => errors.texts?.[text] === "not_found") ?? "not found",
      });
    let missing: SimulatedAnswer | undefined;
    for (const plan of this.#plans) {
      const answer =
        this.#batch(plan, request, url) ??
        answerFieldPage(plan, request.method, this.#readQuery(request, url)) ??
        this.#answerFor(plan, request, url);
      // Another object may have the same address.
      if (answer && answer.status !== 404) return this.#marked(answer);
      missing ??= answer;
    }
    return missing ?? this.refusal(404, "there is no such address");
  }

  /** Builds an error in the provider's words, according to the description. */
  refusal(status: number, message: string, headers: Record<string, string> = {}): SimulatedAnswer {
    const { errors } = this.#description;
    const [path = "message"] = errors.message;
    const steps = path.split(".");
    const star = steps.indexOf("*");
    const body =
      star === -1
        ? nestValue(path, message)
        : nestValue(steps.slice(0, star).join("."), [inner(steps.slice(star + 1), message)]);
    const [okPath] = errors.okWhen?.split("=") ?? [];
    return { status, headers, body: okPath === undefined ? body : nestValue(okPath, false, body) };
  }

  #marked(answer: SimulatedAnswer): SimulatedAnswer {
    const [path, value] = this.#description.errors.okWhen?.split("=") ?? [];
    if (path === undefined || answer.status >= 300 || !isJsonObject(answer.body)) return answer;
    return { ...answer, body: nestValue(path, value === "true" ? true : (value ?? ""), answer.body) };
  }

  #answerFor(plan: ObjectPlan, request: SimulatedRequest, url: URL): SimulatedAnswer | undefined {
    const { method } = request;
    const rules = [plan.list, plan.since, plan.get, plan.create, plan.update, plan.delete];
    const place = (template: string | undefined) =>
      template === undefined
        ? undefined
        : extractFromPath(fillPath(template.replace(/\{(id|parent|field\.\w+)\}/, "\u0000"), plan), url);
    if (rules.every((rule) => rule === undefined)) return undefined;
    if (
      method === (plan.list?.method ?? "GET") &&
      extractFilled(plan, url) &&
      hasBody(plan, plan.list, request)
    ) {
      const isChanged = place(plan.since?.list?.path ?? plan.since?.path) !== undefined;
      const parent = place(plan.list?.path);
      if (isFurtherList(plan, url, (path) => place(path) !== undefined))
        return buildPage(plan, this.#readQuery(request, url), [], () => ({}));
      if (isChanged || parent !== undefined) return this.#list(plan, request, url, parent);
    }
    const started = method === "GET" ? answerStart(plan, url) : undefined;
    if (started) return started;
    const upserted = method === plan.upsert?.method ? this.#upsert(plan, request, url) : undefined;
    if (upserted) return upserted;
    // A deletion may be an update with certain members, and an update a create with an id.
    const removed = readId(plan, plan.delete, request, url);
    if (
      removed !== undefined &&
      hasConstants(plan, plan.delete, request) &&
      hasBody(plan, plan.delete, request)
    )
      return this.#delete(plan, removed, request);
    const updated = readId(plan, plan.update, request, url);
    if (updated !== undefined && hasBody(plan, plan.update, request))
      return this.#update(plan, updated, request);
    const into = method === plan.create?.method ? place(plan.create.path) : undefined;
    if (into !== undefined && hasBody(plan, plan.create, request)) return this.#create(plan, request, into);
    const get = plan.get && { method: "GET" as const, ...plan.get };
    const asked = hasBody(plan, get, request) ? readId(plan, get, request, url) : undefined;
    return asked === undefined ? undefined : this.#get(plan, asked, this.#readQuery(request, url));
  }

  #list(
    plan: ObjectPlan,
    request: SimulatedRequest,
    url: URL,
    inPath: string | undefined,
  ): SimulatedAnswer | undefined {
    const query = this.#readQuery(request, url);
    const below = inPath || readParent(plan, url);
    const records = this.records(plan.name).filter(({ parent }) => !plan.parent || parent === below);
    const { emptyWhen } = plan;
    if (emptyWhen !== undefined && records.length === 0) return this.refusal(404, emptyWhen);
    return buildPage(plan, query, records, (record, selected) => this.#shown(plan, record, selected));
  }

  #readQuery({ body, baseUrl, headers }: SimulatedRequest, url: URL): ListQuery {
    return { url, body: toJson(body), baseUrl, ...(headers && { headers }) };
  }

  /** Answers a batch; undefined for another request. */
  #batch(plan: ObjectPlan, request: SimulatedRequest, url: URL): SimulatedAnswer | undefined {
    const { requests } = plan.batch ?? {};
    if (requests && request.method === "POST" && extractFromPath(requests.path, url) !== undefined) {
      const answer = answerPacked(requests, request.body, (inner) =>
        this.answer({ ...inner, baseUrl: request.baseUrl }),
      );
      return typeof answer === "string" ? this.refusal(400, answer) : answer;
    }
    for (const kind of ["upsert", "create", "update"] as const) {
      const rules = plan.batch?.[kind];
      if (rules?.method !== request.method || extractFromPath(fillPath(rules.path, plan), url) === undefined)
        continue;
      const answer = writeList({ plan, kind, rules }, request.body, this.#listTarget(plan));
      if (answer) return answer;
    }
    return undefined;
  }

  #listTarget(plan: ObjectPlan): ListTarget {
    const records = this.#of(plan.name);
    return {
      has: (id) => records.has(id),
      findBy: (key, value) =>
        this.records(plan.name).find(({ fields }) => String(fields[key]) === String(value))?.id,
      put: (fields, id) => this.put(plan.name, fields, id),
      show: (id) => {
        const record = records.get(id);
        return record ? this.#shown(plan, record) : {};
      },
      refusal: (status, message) => this.refusal(status, message),
      missingCode: Object.entries(this.#description.errors.codes ?? {}).find(
        ([, kind]) => kind === "not_found",
      )?.[0],
    };
  }

  /** Creates a record. A request with the key of an earlier one gets the same answer. */
  #create(plan: ObjectPlan, request: SimulatedRequest, inPath: string): SimulatedAnswer {
    const key = readKey(plan.create?.idempotencyKeyTo, request);
    const known = key === undefined ? undefined : this.#answersByKey.get(key);
    if (known) return known;
    const inBody = plan.create && readFieldsAlone(plan, plan.create, request);
    if (!isJsonObject(inBody)) return this.refusal(422, String(inBody));
    const [, moved] = /\{field\.(\w+)\}/.exec(plan.create?.path ?? "") ?? [];
    const fields = moved === undefined ? inBody : { ...inBody, [moved]: inPath };
    if (Object.values(fields).includes(REFUSED)) return this.#refused(plan, "a value is refused");
    const answer = this.#written(plan, this.put(plan.name, fields), 201, plan.create);
    if (key !== undefined) this.#answersByKey.set(key, answer);
    return answer;
  }

  /** Answers an upsert of this object; undefined for another request. */
  #upsert(plan: ObjectPlan, request: SimulatedRequest, url: URL): SimulatedAnswer | undefined {
    const rules = plan.upsert;
    const found = rules && readUpsert(rules, plan, { ...request, url });
    if (!rules || !found) return undefined;
    if (typeof found === "string") return this.refusal(422, found);
    const { key, value, fields } = found;
    const known = this.records(plan.name).find((record) => String(record.fields[key]) === value);
    const id = this.put(
      plan.name,
      { ...fields, [key]: value },
      known?.id ?? (rules.keyIsId ? value : undefined),
    );
    return this.#written(plan, id, known ? 200 : 201, rules);
  }

  /** Refuses a record, within a success if the provider may do so. */
  #refused({ written }: ObjectPlan, reason: string): SimulatedAnswer {
    if (!written) return this.refusal(422, reason);
    const [message = "message"] = written.message ?? this.#description.errors.message;
    return { status: 200, headers: {}, body: buildRefusedBody(written.okWhen, message, reason) };
  }

  #update(plan: ObjectPlan, id: string, request: SimulatedRequest): SimulatedAnswer {
    const fields = plan.update && readFieldsAlone(plan, plan.update, request);
    if (!isJsonObject(fields)) return this.refusal(422, String(fields));
    const record = this.#of(plan.name).get(id);
    if (!record) return this.refusal(404, "there is no such record");
    if (isStale(plan.update, record, request)) return this.refusal(409, "the record has changed since");
    this.put(plan.name, fields, id);
    return this.#written(plan, id, 200, plan.update);
  }

  #delete(plan: ObjectPlan, id: string, request: SimulatedRequest): SimulatedAnswer {
    const record = this.#of(plan.name).get(id);
    if (record && isStale(plan.delete, record, request))
      return this.refusal(409, "the record has changed since");
    return this.remove(plan.name, id)
      ? { status: 204, headers: {} }
      : this.refusal(404, "there is no such record");
  }

  #get(plan: ObjectPlan, id: string, query: ListQuery): SimulatedAnswer {
    const record = this.#of(plan.name).get(id);
    if (!record) return this.refusal(404, "there is no such record");
    const path = plan.get?.record === undefined ? "" : fillPath(plan.get.record, plan);
    return {
      status: 200,
      headers: {},
      body: buildAtPath(path, this.#shown(plan, record, listSelected(plan, query))),
    };
  }

  #written(
    plan: ObjectPlan,
    id: string,
    status: number,
    rules: Pick<WriteRules, "empty" | "id"> | undefined,
  ): SimulatedAnswer {
    const record = this.#of(plan.name).get(id);
    if (rules?.id?.startsWith("header.")) {
      const location = `https://provider.invalid/records/${encodeURIComponent(id)}`;
      return { status: 204, headers: { [rules.id.slice("header.".length)]: location } };
    }
    if (!record || (rules?.empty && rules.id === undefined)) return { status: 204, headers: {} };
    const path = plan.record === undefined ? "" : fillPath(plan.record, plan);
    const body =
      rules?.id === undefined ? buildAtPath(path, this.#shown(plan, record)) : buildAtPath(rules.id, id);
    const { path: okPath, values } = readCondition(plan.written?.okWhen ?? "=");
    return { status, headers: {}, body: okPath === "" ? body : withValue(body, okPath, values[0] ?? "") };
  }

  #shown(plan: ObjectPlan, record: StoredRecord, selected?: string[]): JsonObject {
    const { id, fields: all, changedAt, version } = record;
    const fields = selected
      ? Object.fromEntries(Object.entries(all).filter(([name]) => selected.includes(name)))
      : all;
    const shown = plan.typedValues ? showTypedFields(fields, plan.typedValues) : fields;
    const member = plan.flattenBy === undefined ? shown : listEntries(plan.flattenBy, shown);
    const inner = plan.flatten === undefined ? shown : { [plan.flatten]: member };
    const shownId = this.#description.ids?.number ? Number(id) : id;
    const { readBefore } = plan.update ?? {};
    const withVersion = readBefore ? nestValue(readBefore.from, String(version), inner) : inner;
    const withId = nestValue(plan.idPath, shownId, withVersion);
    if (plan.changedPath === undefined) return withId;
    const format = plan.changedFormat ?? plan.since?.format ?? "rfc3339";
    const changed = formatTime(new Date(changedAt), format);
    return nestValue(plan.changedPath, format.startsWith("unix") ? Number(changed) : changed, withId);
  }

  #of(object: string): Map<string, StoredRecord> {
    const known = this.#records.get(object) ?? new Map<string, StoredRecord>();
    this.#records.set(object, known);
    return known;
  }

  #newId(): string {
    this.#lastId += 1;
    return buildId(this.#description, this.#lastId);
  }
}

/** Builds an id of the form in the description; objects may have forms of their own. */
export function buildId(
  { ids: usual }: Pick<Description, "ids">,
  number: number,
  own?: Pick<ObjectPlan, "idPattern">,
): string {
  const ids = own?.idPattern === undefined ? usual : { ...usual, pattern: own.idPattern };
  const pattern = new RegExp(`^(?:${ids?.pattern ?? (ids?.number ? "[0-9]+" : ".*")})$`);
  const forms = [
    `rec_${number}`,
    `rec${number}`,
    `rec${String(number).padStart(14, "0")}`,
    String(number),
    (ids?.pattern ?? "").replace("[A-Za-z]+", "Thing").replace("[0-9]+", String(number)),
    String(number).padStart(32, "0"),
    `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`,
  ];
  return forms.find((form) => pattern.test(form)) ?? String(number);
}

/** Returns the value of the list's parameter that names the parent. */
function readParent({ list }: ObjectPlan, url: URL): string | undefined {
  const [name] = Object.entries(list?.query ?? {}).find(([, value]) => value === "{parent}") ?? [];
  return name === undefined ? undefined : (url.searchParams.get(name) ?? undefined);
}

function readKey(
  target: string | undefined,
  { headers = {}, path, body }: SimulatedRequest,
): string | undefined {
  if (target === undefined) return undefined;
  const name = target.slice(target.indexOf(".") + 1);
  const value = target.startsWith("header.")
    ? headers[name.toLowerCase()]
    : target.startsWith("query.")
      ? new URL(path, "http://simulation.invalid").searchParams.get(name)
      : valueAt(toJson(body), name);
  return typeof value === "string" ? value : undefined;
}

const inner = (steps: string[], message: string): Json =>
  buildAtPath(steps.map((step) => (step === "*" ? "0" : step)).join("."), message);

function toJson(text: string): JsonObject {
  try {
    const value: Json = JSON.parse(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}
