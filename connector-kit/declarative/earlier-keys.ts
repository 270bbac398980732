/**
 * A list that goes on behind its last record is refused where that record is deleted before the next page is asked for. It then goes on
 * behind one before it that is still there: nothing is left out, and hardly a record comes twice.
 */
import type { ProviderError } from "../calls/provider-error.ts";
import { getTextAt } from "../calls/get-text-at.ts";
import type { SourceRecord } from "../read-connector.ts";
import type { PagingRules } from "./rules/paging-rules.ts";
import { mayBeOfPlace } from "./scan-progress.ts";
import type { ScanState } from "./scan-state.ts";

/** Distances from the end of a page: each refused one costs a request, and those behind the one that is taken come twice. */
const DISTANCES = [2, 3, 4, 6, 10, 18, 34, 66, 130, 258, 514];
/** How many pages before are known by their last record, for where all records of a page are deleted. */
const PAGES = 10;

/** Returns what the next checkpoint remembers of a page: the keys of its records before the last one, and of the pages before. */
export function rememberEarlier(
  { keyset }: PagingRules,
  keys: (string | undefined)[],
  { place, earlier }: ScanState,
): Pick<ScanState, "earlier"> {
  if (!keyset) return {};
  const near = DISTANCES.flatMap((distance) => keys.at(-distance) ?? []);
  const far = [...(typeof place === "string" ? [place] : []), ...(earlier?.far ?? [])].slice(0, PAGES);
  return { earlier: { near, far } };
}

interface Page {
  records: SourceRecord[];
  deleted: SourceRecord[];
}

/**
 * Returns the page behind an earlier record; undefined where none is known, or where the refusal is not about the place. Throws the refusal
 * where that page has the record which was refused: it is there, so that the refusal is about something else.
 */
export async function readEarlier<P extends Page>(
  paging: PagingRules,
  reached: ScanState,
  { refusal, readAt }: { refusal: ProviderError; readAt: (from: ScanState) => Promise<P> },
): Promise<P | undefined> {
  const earlier = stepBack(paging, reached, refusal);
  const page = earlier && (await readAt(earlier));
  if (page && hasKey(paging, page, reached.place)) throw refusal;
  return page;
}

const hasKey = ({ keyset }: PagingRules, { records, deleted }: Page, key: ScanState["place"]): boolean =>
  [...records, ...deleted].some(
    ({ id, raw }) => key === (keyset?.from === undefined ? id : getTextAt(raw, keyset.from)),
  );

/** Returns where the list goes on earlier; undefined where nothing earlier is known, or where the refusal is not about the place. */
function stepBack({ keyset }: PagingRules, state: ScanState, error: ProviderError): ScanState | undefined {
  if (!keyset || !state.earlier || !mayBeOfPlace(error)) return undefined;
  const { near, far } = state.earlier;
  const [place, ...others] = near.length > 0 ? near : far;
  if (place === undefined) return undefined;
  return { ...state, place, earlier: near.length > 0 ? { near: others, far } : { near: [], far: others } };
}
