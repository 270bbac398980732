/** Remembers the positions of runs, so that a scan that repeats pages, or one that no longer finds anything new, fails and says why. */
import { hash } from "node:crypto";
import { buildBrokenPage } from "../../../connector-kit/calls/page-check.ts";
import { keepRecentlyUsed } from "../../../ground/recently-used.ts";
import type { FetchedPage, ReadPosition } from "./fetch-page.ts";

/** Runs that one process remembers. One that it has forgotten begins anew: a circle comes by again. */
const MAX_RUNS = 1_000;
/** Places that are remembered besides the mark, which finds longer circles. */
const RECENT = 64;
/** A list that has moved is read again, and most of its pages are as they were: as many as are remembered, but not more in a row. */
const MAX_REPEATED = RECENT + 1;
/** Providers that filter after paging send many empty pages; more in a row are a fault of theirs. */
const MAX_EMPTY = 10_000;

export interface ScanMemory {
  /**
   * Throws `ProviderError` if the scan does not get on: `next` is where it was before, or pages bring nothing new. A scan that was begun
   * anew, because the provider no longer knew its place, has not been anywhere. Call the returned function once the page is committed: only
   * then the same place is another visit, and not another attempt. It does not keep the page.
   */
  check(operationId: string, fetched: FetchedPage, next: ReadPosition | undefined): () => void;
}

interface Visited {
  places: Trail;
  pages: Trail;
  empty: number;
  repeated: number;
}

/** What is remembered of a page. */
interface Visit {
  restarted: boolean;
  /** Where the scan goes on. */
  place: string;
  /** Undefined without records. */
  content: string | undefined;
}

export function openScanMemory(): ScanMemory {
  const runs = keepRecentlyUsed<Visited>(MAX_RUNS);
  const findVisited = (operationId: string, { restarted }: Visit): Visited | undefined =>
    restarted ? undefined : runs.get(operationId);
  return {
    check(operationId, fetched, next) {
      if (!next) return () => void runs.delete(operationId);
      const visit = toVisit(fetched, next);
      refuseRepetition(findVisited(operationId, visit), visit);
      return () => {
        const visited = findVisited(operationId, visit) ?? {
          places: new Trail(),
          pages: new Trail(),
          empty: 0,
          repeated: 0,
        };
        Object.assign(visited, countsAfter(visited, visit));
        visited.places.add(visit.place);
        if (visit.content !== undefined) visited.pages.add(visit.content);
        runs.set(operationId, visited);
      };
    },
  };
}

function toVisit({ stage, page }: FetchedPage, next: ReadPosition): Visit {
  const { records, restarted = false } = page;
  return {
    restarted,
    place: digest(`${next.stage} ${JSON.stringify(next.checkpoint)}`),
    content: records.length === 0 ? undefined : digest(`${stage} ${records.map(({ id }) => id).join(" ")}`),
  };
}

function refuseRepetition(visited: Visited | undefined, visit: Visit): void {
  if (!visited) return;
  if (visited.places.has(visit.place))
    throw buildBrokenPage("the next page is one that this read has read before: the pages go in a circle");
  const { empty, repeated } = countsAfter(visited, visit);
  if (empty > MAX_EMPTY)
    throw buildBrokenPage(`${empty} pages in a row are empty, and the provider names a next one`);
  if (repeated > MAX_REPEATED)
    throw buildBrokenPage(`${repeated} pages in a row have records that were read just before`);
}

function countsAfter(visited: Visited, { content }: Visit): Pick<Visited, "empty" | "repeated"> {
  if (content === undefined) return { empty: visited.empty + 1, repeated: visited.repeated };
  return { empty: 0, repeated: visited.pages.has(content) ? visited.repeated + 1 : 0 };
}

/** The last places, and one of before: Brent's search for circles moves it on at each power of two. */
class Trail {
  #recent: string[] = [];
  #mark: string | undefined;
  #count = 0;

  has(place: string): boolean {
    return place === this.#mark || this.#recent.includes(place);
  }

  add(place: string): void {
    this.#count += 1;
    if ((this.#count & (this.#count - 1)) === 0) this.#mark = place;
    this.#recent = [...this.#recent.slice(1 - RECENT), place];
  }
}

const digest = (text: string): string => hash("sha256", text, "base64url").slice(0, 16);
