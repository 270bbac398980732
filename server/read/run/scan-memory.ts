/** Remembers the positions of runs, so that a scan that repeats pages, or one that no longer finds anything new, fails and says why. */
import { hash } from "node:crypto";
import { brokenPage } from "../../../connector-kit/calls/page-check.ts";
import { keepRecentlyUsed } from "../../../ground/recently-used.ts";
import type { FetchedPage, ReadPosition } from "./fetch-page.ts";

/** Runs that one process remembers. One that it has forgotten begins anew: a circle comes by again. */
const MAX_RUNS = 1_000;
/** Places that are remembered besides the mark, which finds longer circles. */
const RECENT = 64;
/** A page of which all records were just there can come about by changes; so many in a row cannot. */
const MAX_REPEATED = 50;
/** Providers that filter after paging send many empty pages; more in a row are a fault of theirs. */
const MAX_EMPTY = 10_000;

export interface ScanMemory {
  /**
   * Throws `ProviderError` if the scan does not get on: `next` is where it was before, or pages bring nothing new. A scan that was begun
   * anew, because the provider no longer knew its place, has not been anywhere.
   */
  check(operationId: string, fetched: FetchedPage, next: ReadPosition | undefined): void;
  /** Call it once the page is committed: only then the same place is another visit, and not another attempt. */
  note(operationId: string, fetched: FetchedPage, next: ReadPosition | undefined): void;
}

interface Visited {
  places: Trail;
  pages: Trail;
  empty: number;
  repeated: number;
}

export function openScanMemory(): ScanMemory {
  const runs = keepRecentlyUsed<Visited>(MAX_RUNS);
  return {
    check(operationId, fetched, next) {
      const visited = fetched.page.restarted ? undefined : runs.get(operationId);
      if (!visited || !next) return;
      if (visited.places.has(placeText(next)))
        throw brokenPage("the next page is one that this read has read before: the pages go in a circle");
      const { empty, repeated } = countsAfter(visited, fetched);
      if (empty > MAX_EMPTY)
        throw brokenPage(`${empty} pages in a row are empty, and the provider names a next one`);
      if (repeated > MAX_REPEATED)
        throw brokenPage(`${repeated} pages in a row have records that were read just before`);
    },
    note(operationId, fetched, next) {
      if (!next) return void runs.delete(operationId);
      const known = fetched.page.restarted ? undefined : runs.get(operationId);
      const visited = known ?? {
        places: new Trail(),
        pages: new Trail(),
        empty: 0,
        repeated: 0,
      };
      Object.assign(visited, countsAfter(visited, fetched));
      visited.places.add(placeText(next));
      if (fetched.page.records.length > 0) visited.pages.add(contentText(fetched));
      runs.set(operationId, visited);
    },
  };
}

function countsAfter(visited: Visited, fetched: FetchedPage): Pick<Visited, "empty" | "repeated"> {
  if (fetched.page.records.length === 0) return { empty: visited.empty + 1, repeated: visited.repeated };
  return { empty: 0, repeated: visited.pages.has(contentText(fetched)) ? visited.repeated + 1 : 0 };
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

const placeText = ({ stage, checkpoint }: ReadPosition): string =>
  digest(`${stage} ${JSON.stringify(checkpoint)}`);

/** A page is asked for its content several times, and has thousands of ids. */
const contents = new WeakMap<FetchedPage, string>();

function contentText(fetched: FetchedPage): string {
  const { stage, page } = fetched;
  const text = contents.get(fetched) ?? digest(`${stage} ${page.records.map(({ id }) => id).join(" ")}`);
  contents.set(fetched, text);
  return text;
}

const digest = (text: string): string => hash("sha256", text, "base64url").slice(0, 16);
