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
  (next ? undefined : warnOfOthers(chosen.rules.paging ?? {}, body));
