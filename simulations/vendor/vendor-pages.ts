/** Cuts a page out of a simulated list, with the address or cursor of the next one. */
import type { Json } from "../../ground/json.ts";
import type { ListFact } from "../../connector-kit/facts/facts.ts";
import { listBehind, sortRecords, type ListOrder } from "./vendor-order.ts";
import type { VendorRecord } from "./vendor-records.ts";
import { extractPart, readText, type VendorRequest } from "./vendor-request.ts";

/** Position behind a cursor or an address of a next page. */
interface Place {
  last?: { place: number; changedMs: number };
  /** Number of records before it. */
  before: number;
  pages: number;
}

export interface CutPage {
  records: VendorRecord[];
  /** Cursor or number of the next page; absent on the last one. */
  token?: string;
  more: boolean;
  total: number;
  size: number;
  /** Number of the record after the page. */
  end?: number;
  /** Whether the list has more records than can be reached. */
  isCut?: boolean;
}

interface PageRules {
  fact: ListFact;
  order: ListOrder;
  /** Number of records that can be reached; undefined for all. */
  depth: number | undefined;
  tokens: PageTokens;
  /** Size of a page if the request cannot choose it; undefined for the vendor's. */
  usualSize: number | undefined;
  /** Absent: pages by cursor or address may be short or empty before the last one. */
  hasFullPages?: boolean;
  /** Records of a page at most, whatever size is asked for; absent: as many as were asked for. */
  most?: number | undefined;
}

/** Cursors that the vendor has issued: it accepts no others, and issues none twice. */
export class PageTokens {
  private readonly places = new Map<string, Place>();
  private given: number;
  /** Number of list requests, for orders that nobody promised. */
  turn = 0;

  /** `before` has earlier cursors, which are no longer valid. */
  constructor(before?: PageTokens) {
    this.given = before?.given ?? 0;
  }

  /** Issues a cursor. `again` is one that stays the same. */
  give(place: Place, again?: string, isPlain = false): string {
    const number = (this.given += 1);
    const token =
      again ?? (isPlain ? `01gRO${number}PIAYA2-${place.before}` : `c${number}+/=${"x".repeat(number % 5)}`);
    this.places.set(token, place);
    return token;
  }

  find(token: string): Place | undefined {
    return this.places.get(token);
  }
}

const USUAL_SIZE = 20;
export const TOKEN_NAME = "vendor_page";

/** Returns a page, or the sentence with which the vendor refuses it. */
export function cutPage(rules: PageRules, request: VendorRequest, all: VendorRecord[]): CutPage | string {
  const { fact, order, tokens } = rules;
  const asked = choosePageSize(fact, request, rules.usualSize);
  if (typeof asked === "string") return asked;
  const size = Math.min(asked, rules.most ?? asked);
  const inOrder = sortRecords(all, order, (tokens.turn += 1));
  const { kind } = fact.paging;
  if (kind === "none") return { records: inOrder, more: false, total: all.length, size };
  if (kind === "page" || kind === "offset") return cutByPosition(rules, request, inOrder, size);
  if (kind === "keyset") return cutByLastId(rules, request, inOrder, size);
  return cutByToken(rules, request, inOrder, size);
}

function choosePageSize(
  { paging }: ListFact,
  request: VendorRequest,
  usualSize: number | undefined,
): number | string {
  if (paging.size === undefined && usualSize !== undefined) return usualSize;
  const usual = paging.default ?? paging.largest ?? USUAL_SIZE;
  const text = paging.size === undefined ? undefined : readText(request, paging.size);
  const given =
    text === undefined || paging.sizeTemplate === undefined
      ? text
      : extractPart(text, paging.sizeTemplate, "size", "\\d+");
  if (given === undefined) return usual;
  const size = Number(given);
  if (!Number.isInteger(size) || size < 1) return `${paging.size}: ${given} is not a size`;
  if (paging.smallest !== undefined && size < paging.smallest) return paging.smallest;
  if (paging.largest === undefined || size <= paging.largest) return size;
  return paging.oversize === "cut"
    ? paging.largest
    : `${paging.size}: ${given} is more than ${paging.largest}`;
}

function cutByPosition(
  { fact, depth }: PageRules,
  request: VendorRequest,
  all: VendorRecord[],
  size: number,
): CutPage | string {
  const { kind, to, template, first = kind === "page" ? 1 : 0, shortPages } = fact.paging;
  const text = to === undefined ? undefined : readText(request, to);
  const given =
    text === undefined || template === undefined ? text : extractPart(text, template, "place", "\\d+");
  const number = given === undefined ? first : Number(given);
  if (!Number.isInteger(number) || number < first) return `${to}: ${given} is not a place`;
  if (fact.paging.multiples && number % size !== 0) return `${to}: ${given} is not divisible by ${size}`;
  const start = kind === "page" ? (number - first) * size : number - first;
  if (depth !== undefined && start + (kind === "page" ? size : 1) > depth) {
    if (fact.paging.depth?.beyond === "refused") return `${to}: only ${depth} records can be reached`;
    return { records: [], more: false, total: all.length, size };
  }
  const end = Math.min(start + size, depth ?? Infinity);
  const rows = shortPages ? all.flatMap(withHiddenRows) : all;
  const more = end < rows.length;
  return {
    records: rows.slice(start, end).flatMap((row) => row ?? []),
    more,
    ...(more && { token: String(kind === "page" ? number + 1 : number + size) }),
    total: all.length,
    size,
    end: Math.min(end, all.length),
  };
}

/** Behind every third record there are two that the user may not see, which are removed from pages after they were cut. */
const withHiddenRows = (record: VendorRecord): (VendorRecord | undefined)[] =>
  record.place % 3 === 0 ? [record, undefined, undefined] : [record];

function cutByLastId(
  { fact, order, depth }: PageRules,
  request: VendorRequest,
  all: VendorRecord[],
  size: number,
): CutPage | string {
  const { to } = fact.paging;
  const last = to === undefined ? undefined : readText(request, to);
  const found = last === undefined ? undefined : all.find(({ id }) => id === last);
  if (last !== undefined && !found) return `${to}: there is no record ${last}`;
  const rest = listBehind(all, found, order);
  const reached = depth === undefined ? rest : rest.slice(0, Math.max(0, depth - (all.length - rest.length)));
  const records = reached.slice(0, size);
  return { records, more: rest.length > records.length, total: all.length, size };
}

/** Cuts pages by cursor or address: the second page is empty and the third half full, and both have a next one. */
function cutByToken(
  { fact, order, depth, tokens, hasFullPages = false }: PageRules,
  request: VendorRequest,
  all: VendorRecord[],
  size: number,
): CutPage | string {
  const { to, kind, template } = fact.paging;
  const own = readText(request, `query.${TOKEN_NAME}`);
  const text = to === undefined ? own : readText(request, to);
  const given =
    text === undefined || template === undefined ? text : extractPart(text, template, "place", "\\S+");
  const token = kind === "cursor" ? given : (own ?? given);
  const place = token === undefined || token === "" ? { before: 0, pages: 0 } : tokens.find(token);
  const { scroll = false, emptyFirst = false } = fact.paging;
  if (!place) return `${to ?? TOKEN_NAME}: ${token} is no cursor of this vendor`;
  const left = depth === undefined ? Infinity : depth - place.before;
  if (left <= 0 && fact.paging.depth?.beyond === "refused") return `only ${depth} records can be reached`;
  const rest = fact.paging.positional ? all.slice(place.before) : listBehind(all, place.last, order);
  const isWhole = hasFullPages || scroll || place.pages > 2 || place.pages === 0;
  const isEmptyFirst = emptyFirst && place.pages === 0 && tokens.turn % 3 === 2 && rest.length > 0;
  const length = isEmptyFirst
    ? 0
    : isWhole || emptyFirst
      ? size
      : place.pages === 1
        ? 0
        : Math.ceil(size / 2);
  const records = rest.slice(0, Math.max(0, Math.min(length, left)));
  const last = records.at(-1);
  const more =
    rest.length > records.length && (left > records.length || fact.paging.depth?.beyond === "refused");
  const isNamed = more || scroll || fact.paging.last === "present";
  return {
    records,
    more,
    total: all.length,
    size,
    isCut: depth !== undefined && all.length > depth,
    ...(isNamed && {
      token: tokens.give(
        {
          ...(last
            ? { last: { place: last.place, changedMs: last.changedMs } }
            : place.last && { last: place.last }),
          before: place.before + records.length,
          pages: place.pages + 1,
        },
        scroll ? token : undefined,
        fact.paging.address !== undefined,
      ),
    }),
  };
}

/** Returns the number at `total`. */
export function countTotal({ paging }: ListFact, { total, size }: CutPage): Json {
  return paging.totalIs === "pages" || paging.totalIs === "lastPage" ? Math.ceil(total / size) : total;
}
