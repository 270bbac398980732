/** Lists, page after page. */

/** One page of a list. */
export interface Page<Row> {
  results: Row[];
  pagination: { nextPageToken?: string };
}

/**
 * Returns every row of a paged list, asking for the next page when the rows of one are used up:
 * `for await (const operation of rows((page) => busbar.listProjectOperations({ status: "failure", ...page }))) …`
 */
export async function* rows<Row>(
  list: (page: { pageToken?: string }) => Promise<Page<Row>>,
): AsyncGenerator<Row, void, undefined> {
  let page: { pageToken?: string } = {};
  for (;;) {
    const { results, pagination } = await list(page);
    yield* results;
    if (!pagination.nextPageToken) return;
    page = { pageToken: pagination.nextPageToken };
  }
}
