/** Common steps of checks: create records, read a whole list. */
import type { JsonObject } from "../../../ground/json.ts";
import type { Connector } from "../../../connector-kit/connector.ts";
import type { Facts, ListFact } from "../../../connector-kit/facts/facts.ts";
import type { Account, ProviderFetch } from "../../../connector-kit/calls/provider-fetch.ts";
import { planRead } from "../../../connector-kit/testing/order-fixture.ts";
import type {
  Checkpoint,
  ReadConnector,
  ReadPage,
  ReadPlan,
  SourceRecord,
} from "../../../connector-kit/read-connector.ts";
import { getValueAt } from "../../../connector-kit/calls/get-text-at.ts";
import type { Vendor } from "../vendor.ts";
import { readParentValue } from "../vendor-listed.ts";
import type { NewRecord, VendorRecord } from "../vendor-records.ts";

export type PromisedMode = "read" | "create" | "update" | "delete" | "upsert";

/** Connector, and the facts about its vendor. */
export interface Subject {
  provider: string;
  connector: Connector;
  facts: Facts;
  account: Account;
  /** Promises of the connector, by object. */
  promised: Record<string, PromisedMode[]>;
  /** Headers of every request of a connection, as the provider's facts name them. */
  headers: Record<string, string>;
  /** Schema of a GraphQL vendor, if it is not in the provider's folder. */
  sdl?: string;
}

export interface CheckResult {
  objectName: string;
  check: string;
  /** `unverified` means that the facts lack what the check needs. */
  state: "passed" | "failed" | "unverified";
  message?: string;
}

/** Environment of a check. */
export interface Bench extends Omit<Subject, "promised" | "headers" | "sdl"> {
  vendor: Vendor;
  fetch: ProviderFetch;
  objectName: string;
  object: Facts["objects"][string];
  modes: PromisedMode[];
}

/** `facts` is the place of the fact to check. The check returns why the facts do not suffice, and throws for a fault. */
export interface Check {
  name: string;
  source: string | undefined;
  run(): Promise<string | undefined>;
}

/** Throws unless the condition of a check holds. */
export function expect(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(message);
}

export function buildReader({ connector }: Bench): ReadConnector {
  expect(connector.read, "the connector reads nothing");
  return connector.read;
}

/** Creates records, alternately below two parents if the lists are those of parents. */
export function putRecords(
  bench: Pick<Bench, "vendor" | "objectName" | "facts" | "object">,
  count: number,
  more: NewRecord = {},
): VendorRecord[] {
  const { vendor, objectName, facts, object } = bench;
  const { parent } = object;
  const above = parent && facts.objects[parent.object];
  if (!parent || !above) return Array.from({ length: count }, () => vendor.records.put(objectName, more));
  const parents = vendor.records.of(parent.object);
  while (parents.length < 2)
    putRecords({ ...bench, objectName: parent.object, object: above }, 1, {
      // For lists below a value of the parent, each parent has a different value.
      ...(parent.by !== undefined && { fields: { [parent.by]: `ada.${parents.length}@example.com` } }),
    });
  return Array.from({ length: count }, (_, index) => {
    const record = parents[index % 2];
    return vendor.records.put(objectName, {
      ...more,
      ...(record && { parent: readParentValue(above, record, parent.by) }),
    });
  });
}

/** Returns what makes a record one of those that a list leaves out. */
export const buildHidden = ({ object }: Pick<Bench, "object">, hidden: number): NewRecord => ({
  hidden,
  fields: (object.list?.hidden?.[hidden]?.have ?? {}) as JsonObject,
});

/** Returns why the lists of an object cannot be simulated. */
export function findListGap({ object }: Bench): string | undefined {
  if (!object.list) return "no facts about its list";
  if (object.list.path.includes("{parent}") && !object.parent) return "no fact says whose lists these are";
  return undefined;
}

/**
 * Returns a gap if nothing is known about rows that move. Throws if pages are by position, sources describe orders of the
 * vendor, and the connector requested none of them.
 */
export function findOrderGap({ vendor, objectName }: Bench, fact: ListFact | undefined): string | undefined {
  const own = vendor.seen.filter((request) => request.objectName === objectName);
  if (fact?.paging.kind === "none" || own.every(({ order }) => order !== "unknown")) return undefined;
  const { kind = "none", positional = false } = fact?.paging ?? {};
  const isByPosition = positional || kind === "page" || kind === "offset";
  const orders = isByPosition ? Object.keys(fact?.sort?.by ?? {}) : [];
  expect(
    orders.length === 0,
    `no source says what the list is sorted by, unless by one of ${orders.join(", ")}`,
  );
  return "no source says by what the list is sorted";
}

const MAX_PAGES = 400;

interface Scanned {
  records: SourceRecord[];
  pages: number;
}

/** Reads all pages. `between` runs after each page that has a next one. */
export async function scanAll(
  bench: Bench,
  more: Partial<ReadPlan> = {},
  between?: (page: ReadPage) => void,
): Promise<Scanned> {
  const reader = buildReader(bench);
  const plan = planRead(bench.objectName, more);
  const records: SourceRecord[] = [];
  let checkpoint: Checkpoint | undefined;
  let pages = 0;
  do {
    const page: ReadPage = await reader.readPage(plan, checkpoint, bench.fetch);
    records.push(...page.records);
    checkpoint = page.next && (JSON.parse(JSON.stringify(page.next)) as Checkpoint);
    pages += 1;
    expect(pages < MAX_PAGES, "the scan does not end");
    if (checkpoint) between?.(page);
  } while (checkpoint);
  return { records, pages };
}

/** Compares ids, and reports missing, unknown and repeated ones. */
export function expectIds(records: SourceRecord[], wanted: VendorRecord[], { oftener = false } = {}): void {
  const found = records.map(({ id }) => id);
  const missing = wanted.filter(({ id }) => !found.includes(id));
  expect(
    missing.length === 0,
    `${missing.length} of ${wanted.length} records are missing: ${missing
      .map(({ id }) => id)
      .slice(0, 3)
      .join(", ")}`,
  );
  const strange = found.filter((id) => !wanted.some((record) => record.id === id));
  expect(strange.length === 0, `records that are not wanted: ${strange.slice(0, 3).join(", ")}`);
  expect(oftener || new Set(found).size === found.length, "a record comes twice");
}

/** Returns a function that changes records after each of the first three pages: one that was read, and one that was not. */
export function touchRecords({ vendor }: Bench, records: VendorRecord[]): (page: ReadPage) => void {
  const read = new Set<string>();
  let turns = 0;
  return (page) => {
    for (const { id } of page.records) read.add(id);
    const first = records.find(({ id }) => id === page.records[0]?.id);
    if (!first || (turns += 1) > 3) return;
    const unread = records.findLast(({ id }) => !read.has(id));
    for (const touched of [first, unread]) if (touched) vendor.records.touch(touched);
  };
}

/** Size of a page in checks: small, so that there are several. */
export const SMALL_PAGE = 2;
/** Size of pages that have room for some records of the one before, at any place. */
export const ROOMY_PAGE = 20;

/** Returns the fact about the list for a read of changes. */
export const chooseChangesFact = ({ object }: Bench): ListFact | undefined => object.changes ?? object.list;

/** Returns the value at a path of a record's original answer. */
export const readRawAt = ({ raw }: SourceRecord, path: string) => getValueAt(raw, path);
