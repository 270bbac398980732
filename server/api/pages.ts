/**
 * Paging of lists: query, answer and lookup.
 *
 *     query: Type.Object({ status: …, ...listQuery, ...periodQuery, ...textQuery }),
 *     success: { status: 200, description: "A page.", schema: describePage(ThingSchema) },
 *     hasEntityTag: true,
 *     handle: ({ project, query }) =>
 *       listPage(query, { list: (range) => listThings(queries, { ...query, projectId: project.id, range }), show: toThing }),
 *
 * The query of the store then ends with `.where(inIdRange("things.id", range)).orderBy("things.id", "desc")
 * .limit(range.limit)` (`store/database/id-range.ts`; `containsText` is there too).
 *
 * A row begins at the time of its id. Show that time (`timeOfId`), so that `since` and `until` agree with what is shown.
 */
import { Type, type TSchema } from "typebox";
import { Problem } from "../../ground/errors.ts";
import { isUuid } from "../../ground/ids.ts";
import type { IdRange } from "../store/database/id-range.ts";
import { describeTime } from "../../ground/described.ts";

/** Query members of a page, as validated. */
interface PageQuery {
  pageSize?: number;
  pageToken?: string;
  after?: string;
  since?: string;
  until?: string;
}

/** Returns the query members of a paged list: at most `maximum` entries per page, by default `usual`. */
export const describePageQuery = ({ usual, maximum }: { usual: number; maximum: number }) => ({
  pageSize: Type.Optional(Type.Integer({ minimum: 1, maximum, description: `Default ${usual}.` })),
  pageToken: Type.Optional(Type.String({ description: "`nextPageToken` of the previous page." })),
});

const USUAL_SIZE = 50;

/** Query members of every list of a project, newest first. */
export const listQuery = {
  ...describePageQuery({ usual: USUAL_SIZE, maximum: 200 }),
  after: Type.Optional(
    Type.String({
      description:
        "Id of the newest entry that you know: return only newer ones. Not together with `pageToken`. An entry that " +
        "was stored late may have a lower id: request the first page from time to time.",
    }),
  ),
};

/** Query members of a list that can be limited to a period. */
export const periodQuery = {
  since: Type.Optional(describeTime("Return only entries that began at this time or later.")),
  until: Type.Optional(describeTime("Return only entries that began before this time.")),
};

/** Query member of a list that can be searched; `columns` names what is searched. */
export const describeTextQuery = (columns: string) => ({
  text: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: `Return only entries that contain this text in ${columns}, in any case.`,
    }),
  ),
});

/** Member of what is put together from several databases. */
export const Unavailable = Type.Array(Type.String({ description: "Name of a shard." }), {
  description:
    "Only while databases of customers (shards) are away: their names. What they have of this list is missing, and nothing follows from that.",
});

export const describePage = <Result extends TSchema>(result: Result) =>
  Type.Object({
    results: Type.Array(result, { description: "The entries of this page." }),
    pagination: Type.Object(
      {
        done: Type.Boolean({ description: "Whether this is the last page." }),
        nextPageToken: Type.Optional(
          Type.String({ description: "Pass it as `pageToken` to get the next page." }),
        ),
        unavailable: Type.Optional(Unavailable),
      },
      { description: "Position in the list." },
    ),
  });

type Listed<Row> = Row[] | { rows: Row[]; continueBefore?: string; unavailable?: string[] };

/**
 * Returns one page; the id of its last row is the token of the next page. `list` is called with one row more than fits,
 * which tells whether there is another page. Throws a 400 Problem for a `pageToken` or `after` that `isToken` (default:
 * is a UUID) rejects, for both together, and for a time that does not exist.
 */
export async function listPage<Row, Result>(
  query: PageQuery,
  by: {
    usual?: number;
    isToken?: (token: string) => boolean;
    /** Checks `after`. Default: `isToken`. */
    isId?: (id: string) => boolean;
    /** Default: the member `id` of a result. */
    getPageToken?: (result: Result) => string;
    /** `continueBefore`: the list has examined enough rows and may have found too few; the next page begins there. */
    list: (range: IdRange) => Promise<Listed<Row>>;
    show: (row: Row) => Result;
  },
): Promise<{
  results: Result[];
  pagination: { done: boolean; nextPageToken?: string; unavailable?: string[] };
}> {
  const { isToken = isUuid, isId = isToken, getPageToken = readId, usual = USUAL_SIZE } = by;
  const { pageSize: size = usual, pageToken, after } = query;
  if (pageToken !== undefined && !isToken(pageToken))
    throw refuseQuery("pageToken", "is not a token of this list. Start without it.");
  if (after !== undefined && !isId(after))
    throw refuseQuery("after", "is not an id of this list. Send the id of an entry.");
  if (after !== undefined && pageToken !== undefined)
    throw refuseQuery("after", "cannot be combined with `pageToken`. Send one of them.");
  const period = { since: readTime(query, "since"), until: readTime(query, "until") };
  const listed = await by.list({ before: pageToken, after, ...period, limit: size + 1 });
  const { rows, continueBefore, unavailable } = Array.isArray(listed) ? { rows: listed } : listed;
  const results = rows.slice(0, size).map(by.show);
  const last = rows.length > size ? results.at(-1) : undefined;
  const nextPageToken = last === undefined ? continueBefore : getPageToken(last);
  return {
    results,
    pagination: {
      ...(nextPageToken === undefined ? { done: true } : { done: false, nextPageToken }),
      ...(unavailable && { unavailable }),
    },
  };
}

const readId = (result: unknown): string => (result as { id: string }).id;

/** The schema accepts leap seconds, which a Date cannot represent. */
function readTime(query: PageQuery, name: "since" | "until"): Date | undefined {
  const text = query[name];
  if (text === undefined) return undefined;
  const time = new Date(text);
  if (!Number.isNaN(time.getTime())) return time;
  throw refuseQuery(name, "must be a time with its zone such as 2026-01-31T12:00:00Z.");
}

/** Returns the refusal of a query parameter. */
export function refuseQuery(name: string, fault: string): Problem {
  const detail = `${name}: ${fault}`;
  return new Problem("invalid-request", { detail, issues: [{ in: "query", name, detail }] });
}
