/** What people are told of a page that was read, and that may lack some of its records. */
import type { Json, JsonObject } from "../../ground/json.ts";
import type { ReadPlan, SourceRecord } from "../read-connector.ts";
import { warnOfMissingDeletions, warnOfUnnamed, type ChosenList } from "./chosen-list.ts";
import { warnOfGap } from "./overlapping-pages.ts";
import { warnOfMoving } from "./same-time.ts";
import { warnOfOthers } from "./scan-progress.ts";
import type { ScanState } from "./scan-state.ts";

interface WarnedPage {
  state: ScanState;
  body: Json;
  records: SourceRecord[];
  /** All entries of the answer. */
  all: JsonObject[];
  /** Number of entries that do not name their record. */
  unnamed: number;
  next: ScanState | undefined;
}

/** Returns the warning of a page, if there is one. */
export const findWarning = (
  chosen: ChosenList,
  { since }: ReadPlan,
  { state, body, records, all, unnamed, next }: WarnedPage,
): string | undefined =>
  warnOfMoving(chosen, { records, state }, next) ??
  warnOfMissingDeletions(chosen, since, all.length) ??
  warnOfUnnamed(chosen, unnamed) ??
  warnOfGap(chosen.rules, state, all) ??
  warnOfOneSize(chosen, state, all) ??
  (next ? undefined : warnOfOthers(chosen.rules.paging ?? {}, body));

/**
 * Returns a warning at the second of several numbered pages that do not overlap. Where the total falls, the list goes back; but as many new
 * records as deleted ones leave it as it was. Of lists below others there can be thousands, which would fill the log.
 */
function warnOfOneSize(
  { rules: { name, paging, parent, since, total }, bound }: ChosenList,
  { place }: ScanState,
  entries: JsonObject[],
): string | undefined {
  const { page, newestFirst } = paging ?? {};
  const isJoined = newestFirst || (since?.keyset && bound !== undefined);
  if (!page || page.anySize || isJoined || parent || entries.length === 0) return undefined;
  if (place !== page.first + 1) return undefined;
  const unnoticed = total === undefined ? "meanwhile" : "while another one is created";
  return (
    `numbered pages of ${name} have one size: one that is deleted ${unnoticed} moves others to pages that were read, and one of them may be ` +
    "left out. Where the provider gives pages of each size, its description can say so: paging.page.anySize"
  );
}
