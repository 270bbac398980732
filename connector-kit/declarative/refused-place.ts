/** Goes on with a list whose next page is refused although the provider named it: further back, or from the beginning. */
import { ProviderError } from "../calls/provider-error.ts";
import { toPassing } from "../calls/send-request.ts";
import type { SourceRecord } from "../read-connector.ts";
import { readEarlier } from "./earlier-keys.ts";
import type { PagingRules } from "./rules/paging-rules.ts";
import { beginAnew, isHandle, restartBehind } from "./scan-progress.ts";
import type { ScanState } from "./scan-state.ts";

/** A page that failed so often by itself may have a place that the provider no longer knows; before, it is an outage. */
const FAILURES_OF_DEAD_PLACE = 6;

interface Page {
  records: SourceRecord[];
  deleted: SourceRecord[];
}

interface Scan<P> {
  paging: PagingRules;
  state: ScanState;
  /** How often this page was asked for in vain before. */
  failures: number | undefined;
  /** The refusal is a 404 without a word, and the list is not that of a record that may have gone. */
  isBare: boolean;
  readAt(from: ScanState): Promise<P>;
  readAgain(from: ScanState): Promise<P>;
}

/**
 * Returns whether a failure of the call may be about the place alone: it belongs to a session that has ended, and is refused as if the
 * credentials were bad, or the provider breaks at it again and again.
 */
export const mayBeDeadPlace = (
  thrown: unknown,
  { paging, state: { place }, failures = 0 }: Pick<Scan<Page>, "paging" | "state" | "failures">,
): thrown is ProviderError =>
  thrown instanceof ProviderError &&
  (thrown.kind === "unauthorized" ||
    (isBreakdown(thrown) &&
      typeof place === "string" &&
      isHandle(paging) &&
      failures >= FAILURES_OF_DEAD_PLACE));

const isBreakdown = ({ kind, status = 0, retryAt }: ProviderError): boolean =>
  kind === "unavailable" && status >= 500 && retryAt === undefined;

/** Returns the page to go on with. Throws the refusal where there is none, or that it may pass where it is a status without a word. */
export async function goOnBehind<P extends Page>(refusal: ProviderError, scan: Scan<P>): Promise<P> {
  const { paging, state, isBare, readAt, readAgain } = scan;
  const earlier = await readEarlier(paging, state, { refusal, readAt });
  if (earlier) return earlier;
  const again = restartBehind(paging, state, refusal, isBreakdown(refusal));
  if (again) return readAgain(again);
  if (isBare) throw toPassing(refusal);
  if (refusal.kind !== "unauthorized" || typeof state.place !== "string" || !isHandle(paging)) throw refusal;
  // Credentials that are refused are refused at the beginning, too.
  await readAt(beginAnew(state));
  throw refusal.with({
    kind: "unreadable",
    message: `the provider refuses the next page of the list as if the credentials were bad, and accepts them for the first one: ${refusal.message}`,
  });
}
