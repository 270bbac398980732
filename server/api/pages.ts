/** Paging of lists: query, answer and lookup. */
import { Type, type TSchema } from "typebox";
import { Problem } from "../ground/errors.ts";

interface PageQuery {
  pageSize?: number;
  pageToken?: string;
}

/** Returns the query members of a paged list: at most `maximum` entries per page, by default `usual`. */
export const pageQuery = ({ usual, maximum }: { usual: number; maximum: number }) => ({
  pageSize: Type.Optional(Type.Integer({ minimum: 1, maximum, description: `Default ${usual}.` })),
  pageToken: Type.Optional(Type.String({ description: "`nextPageToken` of the previous page." })),
});

export const pageSchema = <Result extends TSchema>(result: Result) =>
  Type.Object({
    results: Type.Array(result, { description: "The entries of this page." }),
    pagination: Type.Object(
      {
        done: Type.Boolean({ description: "Whether this is the last page." }),
        nextPageToken: Type.Optional(
          Type.String({ description: "Pass it as `pageToken` to get the next page." }),
        ),
      },
      { description: "Position in the list." },
    ),
  });

/**
 * Returns one page; the id of its last row is the token of the next page. `list` is called with one row more than fits,
 * which tells whether there is another page. Throws a 400 Problem for a token that `isToken` rejects.
 */
export async function onePage<Row, Result extends { id: string }>(
  { pageSize, pageToken }: PageQuery,
  by: {
    usual: number;
    isToken: (token: string) => boolean;
    list: (page: { before: string | undefined; limit: number }) => Promise<Row[]>;
    show: (row: Row) => Result;
  },
): Promise<{ results: Result[]; pagination: { done: boolean; nextPageToken?: string } }> {
  if (pageToken !== undefined && !by.isToken(pageToken)) {
    const detail = "pageToken: is not a token of this list. Start without it.";
    throw new Problem("invalid-request", { detail, issues: [{ in: "query", name: "pageToken", detail }] });
  }
  const size = pageSize ?? by.usual;
  const rows = await by.list({ before: pageToken, limit: size + 1 });
  const results = rows.slice(0, size).map(by.show);
  const last = rows.length > size ? results.at(-1) : undefined;
  return { results, pagination: last ? { done: false, nextPageToken: last.id } : { done: true } };
}
