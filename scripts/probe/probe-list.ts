/** Compares a provider's lists with their description: form, ids, times, pages, and the bound of the last change. */
import { fillPath } from "../../connector-kit/declarative/fill-path.ts";
import { getMember, findIdFaults, readRecordId } from "../../connector-kit/declarative/object-plan.ts";
import type { ProviderRequest } from "../../connector-kit/calls/provider-fetch.ts";
import type { ReadConnector, ReadPlan, SourceRecord } from "../../connector-kit/read-connector.ts";
import { parseBody } from "../../connector-kit/calls/send-request.ts";
import { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";
import type { ObjectProbe } from "./object-probe.ts";

/** Small, so that few records make two pages. */
const PAGE_SIZE = 2;

export interface Listed {
  entries: JsonObject[];
  /** Records as the connector reads them. */
  records: SourceRecord[];
  next?: JsonObject;
  total?: number;
}

export const planFor = (objectName: string, more: Partial<ReadPlan> = {}): ReadPlan => ({
  objectName,
  fields: [],
  filters: [],
  associations: [],
  pageSize: PAGE_SIZE,
  ...more,
});

/** Returns the first page, as far as it has the described form. */
export async function probeList(probe: ObjectProbe): Promise<Listed | undefined> {
  const { plan, tell, start } = probe;
  const request = buildReader(probe).preparePage(planFor(plan.name), start);
  const body = await buildBody(probe, request);
  tell("list.path", "as described", `${request.method} ${withoutQuery(request.path)} is answered`);
  const entries = findEntries(probe, body);
  if (!entries) return undefined;
  if (entries.length === 0) {
    tell("idPath", "not seen", "the account has no record of it");
    return undefined;
  }
  if (!checkIds(probe, entries)) return undefined;
  const { records, next, total } = await replay(probe, planFor(plan.name));
  checkTimes(probe, records);
  if (plan.flatten !== undefined) {
    const isThere = entries.every((entry) => isJsonObject(entry[plan.flatten ?? ""]));
    tell(
      "flatten",
      isThere ? "as described" : "differs",
      isThere ? "each record has it" : describeShape(entries[0]),
    );
  }
  if (plan.total !== undefined)
    tell(
      "total",
      total === undefined ? "differs" : "as described",
      total === undefined ? describeShape(body) : "a number",
    );
  if (plan.list?.pageSize && entries.length > PAGE_SIZE)
    tell("list.pageSize.to", "differs", `${PAGE_SIZE} records were asked for, ${entries.length} came`);
  return { entries, records, ...(next && { next }), ...(total !== undefined && { total }) };
}

function findEntries({ plan, tell }: ObjectProbe, body: Json): JsonObject[] | undefined {
  const list = getMember(body, plan.records === undefined ? "" : fillPath(plan.records, plan));
  if (!Array.isArray(list)) {
    tell(
      "records",
      "differs",
      `there is no list at ${JSON.stringify(plan.records ?? "")}: ${describeShape(body)}`,
    );
    return undefined;
  }
  tell("records", "as described", "a list");
  const each = plan.each === undefined ? "" : fillPath(plan.each, plan);
  const entries = list.map((entry) => getMember(entry, each)).filter((entry) => isJsonObject(entry));
  if (entries.length === list.length) return entries;
  tell(
    plan.each === undefined ? "records" : "each",
    "differs",
    `an entry is no record: ${describeShape(list[0])}`,
  );
  return undefined;
}

function checkIds({ plan, tell, description }: ObjectProbe, entries: JsonObject[]): boolean {
  const fault = findIdFaults(description);
  for (const entry of entries) {
    const id = readRecordId(entry, plan);
    if (id === undefined) {
      tell("idPath", "differs", `a record has no id at ${plan.idPath}: ${describeShape(entry)}`);
      return false;
    }
    const isNumber = typeof getMember(entry, plan.idPath) === "number";
    if (fault(id, plan)) {
      tell(
        plan.idPattern === undefined ? "ids.pattern" : "idPattern",
        "differs",
        `an id has the form ${maskText(id)}`,
      );
      return false;
    }
    if (description.ids?.number === true && !isNumber)
      tell("ids.number", "differs", "an id is a text in JSON");
  }
  tell("idPath", "as described", "each record has an id of the described form");
  return true;
}

function checkTimes({ plan, tell }: ObjectProbe, records: SourceRecord[]): void {
  if (plan.changedPath === undefined) return;
  const wrong = records.find(({ changeTime }) => changeTime === undefined);
  if (!wrong) return tell("changedPath", "as described", "each record has a time there");
  const value = getMember(wrong.raw, plan.changedPath);
  const text =
    value === undefined ? `no member: ${describeShape(wrong.raw)}` : `no time: ${maskText(String(value))}`;
  tell("changedPath", "differs", text);
}

export async function probePaging(probe: ObjectProbe, { records, next, total }: Listed): Promise<void> {
  const { plan, tell } = probe;
  if (!next) {
    const isCut = total !== undefined && total > records.length;
    const text = isCut ? `${total} records, but nothing leads to a second page` : "the account has one page";
    return tell("paging", isCut ? "differs" : "not seen", text);
  }
  const second = await buildReader(probe).readPage(planFor(plan.name), next, probe.fetch.send);
  const known = new Set(records.map(({ id }) => id));
  const repeated = second.records.filter(({ id }) => known.has(id)).length;
  if (repeated > 0) return tell("paging", "differs", "the second page has records of the first again");
  if (second.records.length > 0) tell("paging", "as described", "a second page has other records");
  else tell("paging", "not seen", "the second page is empty");
}

/** Asks for changes since the latest time of the first page: older records may not come, and that one must. */
export async function probeChanges(probe: ObjectProbe, { records }: Listed): Promise<void> {
  const { plan, tell } = probe;
  if (plan.since?.to === undefined) return;
  const times = records.flatMap(({ changeTime }) => changeTime ?? []);
  const since = new Date(Math.max(...times.map((time) => time.getTime())));
  if (times.length === 0) return tell("since", "not seen", "no record tells when it changed");
  await buildBody(probe, buildReader(probe).preparePage(planFor(plan.name, { since }), probe.start));
  const found = await replay(probe, planFor(plan.name));
  // The bound may have been cut to seconds.
  const boundMs = Math.floor(since.getTime() / 1_000) * 1_000;
  const older = found.records.filter(({ changeTime }) => changeTime && changeTime.getTime() < boundMs);
  if (older.length > 0) return tell("since", "differs", "records that changed before the bound are listed");
  if (found.records.length === 0)
    tell("since", "not seen", "nothing is listed, not even the record of the bound");
  else tell("since", "as described", "only records from the bound on are listed");
}

export function buildReader({ connector }: ObjectProbe): ReadConnector {
  if (!connector.read) throw new Error("The connector does not read.");
  return connector.read;
}

/** Sends the request and returns the body. Throws `ProviderError` for a refusal. */
async function buildBody({ connector, fetch }: ObjectProbe, request: ProviderRequest): Promise<Json> {
  const response = await fetch.send(request);
  const refusal = connector.classify?.(response);
  if (refusal) throw refusal;
  const body = parseBody(response.text);
  if (body === undefined)
    throw new ProviderError({
      kind: "unreadable",
      message: `the answer to ${withoutQuery(request.path)} is not JSON`,
    });
  return body;
}

/** Reads the last answer again as the connector does, without a call. */
async function replay(probe: ObjectProbe, plan: ReadPlan) {
  const last = probe.fetch.last();
  if (!last) throw new Error("There is no answer yet.");
  return buildReader(probe).readPage(plan, probe.start, () => Promise.resolve(last));
}

const withoutQuery = (path: string): string => path.split("?")[0] ?? path;

const MAX_NAMES = 12;

/** Returns the names of members, or the type: never a value. */
export function describeShape(value: Json | undefined): string {
  if (Array.isArray(value)) return "it is a list";
  if (!isJsonObject(value)) return `it is ${value === null ? "null" : typeof value}`;
  const names = Object.keys(value).filter((name) => /^[\w@$.-]{1,40}$/.test(name));
  return `it has the members ${names.slice(0, MAX_NAMES).join(", ")}${names.length > MAX_NAMES ? ", …" : ""}`;
}

/** Returns the form of a text, with every letter and digit replaced. */
const maskText = (text: string): string =>
  text
    .slice(0, 60)
    .replaceAll(/\p{Lu}/gu, "A")
    .replaceAll(/\p{Ll}|\p{Lo}/gu, "a")
    .replaceAll(/\d/g, "9");
