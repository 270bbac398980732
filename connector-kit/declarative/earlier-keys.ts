/**
 * A list that goes on behind its last record is refused where that record is deleted before the next page is asked for. It then goes on
 * behind one before it that is still there: nothing is left out, and hardly a record comes twice.
 */
import type { Json } from "../../ground/json.ts";
import type { ProviderError } from "../calls/provider-error.ts";
import { textAt, valueAt } from "../calls/text-at.ts";
import type { Checkpoint, SourceRecord } from "../read-connector.ts";
import type { PagingRules } from "./rules/paging-rules.ts";
import { mayBeOfPlace } from "./scan-progress.ts";

/** Distances from the end of a page: each refused one costs a request, and those behind the one that is taken come twice. */
const DISTANCES = [2, 3, 4, 6, 10, 18, 34, 66, 130, 258, 514];
/** How many pages before are known by their last record, for where all records of a page are deleted. */
const PAGES = 10;

/** Returns what the next checkpoint remembers of a page: the keys of its records before the last one, and of the pages before. */
export function rememberEarlier(
  { keyset }: PagingRules,
  keys: (string | undefined)[],
  checkpoint: Checkpoint | undefined,
): Checkpoint {
  if (!keyset) return {};
  const near = DISTANCES.flatMap((distance) => keys.at(-distance) ?? []);
  const place = checkpoint?.["place"];
  const far = [...(typeof place === "string" ? [place] : []), ...readKeys(checkpoint, "far")].slice(0, PAGES);
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
  reached: Checkpoint | undefined,
  { refusal, readAt }: { refusal: ProviderError; readAt: (from: Checkpoint) => Promise<P> },
): Promise<P | undefined> {
  const earlier = stepBack(paging, reached, refusal);
  const page = earlier && (await readAt(earlier));
  if (page && hasKey(paging, page, reached?.["place"])) throw refusal;
  return page;
}

const hasKey = ({ keyset }: PagingRules, { records, deleted }: Page, key: Json | undefined): boolean =>
  [...records, ...deleted].some(
    ({ id, raw }) => key === (keyset?.from === undefined ? id : textAt(raw, keyset.from)),
  );

/** Returns where the list goes on earlier; undefined where nothing earlier is known, or where the refusal is not about the place. */
function stepBack(
  { keyset }: PagingRules,
  checkpoint: Checkpoint | undefined,
  error: ProviderError,
): Checkpoint | undefined {
  if (!keyset || !checkpoint || !mayBeOfPlace(error)) return undefined;
  const [near, far] = [readKeys(checkpoint, "near"), readKeys(checkpoint, "far")];
  const [place, ...others] = near.length > 0 ? near : far;
  if (place === undefined) return undefined;
  const earlier: Json = near.length > 0 ? { near: others, far } : { near: [], far: others };
  return { ...checkpoint, place, earlier };
}

function readKeys(checkpoint: Checkpoint | undefined, name: "near" | "far"): string[] {
  const keys = valueAt(checkpoint?.["earlier"] ?? null, name);
  return Array.isArray(keys) ? keys.map(String) : [];
}
