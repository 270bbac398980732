/** Finds in a vendor's document how a page follows a page, and what the id of a record is: by the names that vendors have for them. */
import type { JsonObject } from "../../ground/json.ts";
import type { ListFact, ObjectFacts } from "../facts/facts.ts";
import type { OpenapiOperation } from "./openapi-operations.ts";
import { findEntrySchema, listMembers, type Schema } from "./openapi-schema.ts";

type Paging = ListFact["paging"];

const toLetters = (name: string): string => name.replace(/[^a-z]/gi, "").toLowerCase();

/** Names of the query, without case and signs, by what they say. */
const CURSOR =
  /^(?:page)?(?:cursor|after|startingafter|startafter|pagetoken|nexttoken|continuationtoken|nextcursor|pagecursor|pageafter|startcursor|bookmark|marker)$/;
const OFFSET = /^(?:offset|skip|startat|start|startindex|pageoffset)$/;
const PAGE = /^(?:page|pagenumber|pageindex|currentpage|p)$/;
const SIZE =
  /^(?:limit|pagesize|perpage|pagelimit|size|count|maxresults|itemsperpage|first|take|resultsperpage)$/;

/** Members of an answer. */
const NEXT_CURSOR =
  /^(?:next|after|cursor|nextcursor|nextpagetoken|nexttoken|nextpage|endcursor|continuationtoken|cursornext|startcursor|pagetoken)$/;
const NEXT_URL = /^(?:next|nexturl|nextlink|nextpage|nextpageurl|nextpagelink|odatanextlink)$/;
const MORE = /^(?:hasmore|hasnext|hasnextpage|more|moreitems|ismore|hasmoreitems)$/;
const LAST = /^(?:islast|last|islastpage)$/;
const TOTAL = /^(?:total|totalcount|totalresults|totalrecords|totalitems|totalentries|totalsize)$/;
const PAGES = /^(?:totalpages|pagecount|lastpage|pages)$/;

/** Returns the paging that a document shows; undefined where it shows none. */
export function findPaging(
  operation: OpenapiOperation,
  answer: Schema | undefined,
  root: JsonObject,
): Paging | undefined {
  const query = operation.parameters.filter(({ place }) => place === "query");
  const find = (names: RegExp) => query.find(({ name }) => names.test(toLetters(name)));
  const [cursor, offset, page, size] = [find(CURSOR), find(OFFSET), find(PAGE), find(SIZE)];
  const members = answer ? leavesBeside(root, answer) : new Map<string, Schema>();
  const at = (names: RegExp, type?: string) =>
    [...members].find(
      ([path, schema]) =>
        names.test(toLetters(path.split(".").at(-1) ?? "")) &&
        (type === undefined || listTypeNames(schema).includes(type)),
    )?.[0];
  const more = at(MORE, "boolean");
  const last = more === undefined ? at(LAST, "boolean") : undefined;
  const [total, pages] = [at(TOTAL, "integer") ?? at(TOTAL, "number"), at(PAGES, "integer")];
  const rest: Partial<Paging> = {
    ...(size && { size: `query.${size.name}` }),
    ...(size?.maximum !== undefined && { largest: size.maximum }),
    ...(typeof size?.default === "number" && { default: size.default }),
    ...((more ?? last) !== undefined && { more: more ?? last }),
    ...(last !== undefined && { moreMeans: "last" as const }),
    ...(total !== undefined
      ? { total, totalIs: "records" as const }
      : pages !== undefined
        ? { total: pages, totalIs: "pages" as const }
        : {}),
  };
  const from = at(NEXT_CURSOR, "string");
  if (cursor)
    return { kind: "cursor", to: `query.${cursor.name}`, ...(from !== undefined && { from }), ...rest };
  const next = at(NEXT_URL, "string");
  if (offset) return { kind: "offset", to: `query.${offset.name}`, ...rest };
  if (page) return { kind: "page", to: `query.${page.name}`, ...findFirstPage(page), ...rest };
  return next === undefined ? undefined : { kind: "nextUrl", from: next, ...rest };
}

const findFirstPage = ({
  default: usual,
  minimum,
}: {
  default?: unknown;
  minimum?: number | undefined;
}): Partial<Paging> => {
  const first = typeof usual === "number" ? usual : minimum;
  return first === 0 || first === 1 ? { first } : {};
};

/** Returns the members of an answer that are no lists, by dotted path. */
function leavesBeside(root: JsonObject, answer: Schema, levels = 3, path = ""): Map<string, Schema> {
  const leaves = new Map<string, Schema>();
  for (const [name, member] of listMembers(root, answer)) {
    const place = path === "" ? name : `${path}.${name}`;
    if (findEntrySchema(root, member)) continue;
    const inner = levels > 0 ? leavesBeside(root, member, levels - 1, place) : new Map<string, Schema>();
    if (inner.size === 0) leaves.set(place, member);
    for (const [below, schema] of inner) leaves.set(below, schema);
  }
  return leaves;
}

const listTypeNames = ({ type }: Schema): string[] =>
  Array.isArray(type) ? type.map(String) : [String(type)];

/** Returns what is known of the id of an entry; `object` is the name that an id such as `pen_id` begins with. */
export function findId(entry: Schema, root: JsonObject, object: string): ObjectFacts["id"] | undefined {
  const members = listMembers(root, entry);
  const singular = toLetters(object).replace(/ies$/, "y").replace(/s$/, "");
  const wanted = [
    "id",
    "uuid",
    "guid",
    "uid",
    `${singular}id`,
    `${singular}uuid`,
    `${singular}key`,
    "key",
    "sid",
    "gid",
  ];
  for (const name of wanted)
    for (const [path, schema] of members) {
      if (toLetters(path) !== name) continue;
      const isUuid =
        schema["format"] === "uuid" ||
        (/u?uid$/.test(name) && schema["format"] === undefined && name !== "uid");
      return {
        path,
        type: listTypeNames(schema).includes("integer") ? "integer" : isUuid ? "uuid" : "string",
      };
    }
  return undefined;
}
