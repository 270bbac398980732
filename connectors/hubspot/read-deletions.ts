/** Reads deleted (archived) HubSpot records, which HubSpot keeps for about 90 days, and then those that vanished in merges. */
import type { DeletedRecord, ReadConnector } from "../../connector-kit/read-connector.ts";
import { send } from "../../connector-kit/calls/send-request.ts";
import { classify } from "./classify.ts";
import { advance, parseListPosition, readListing, restart } from "./list-scan.ts";
import { readMerges } from "./read-merges.ts";
import { changeProperty, findReadingFault } from "./read-object.ts";
import { LIST_LIMIT, listPage } from "./read-request.ts";
import { readTime } from "./source-record.ts";

/**
 * Archived records have no filter by time, and archiving leaves the change time alone. So all are listed, and those
 * archived in the period are kept: a page may be empty although others follow.
 */
export const readDeletions: ReadConnector["readDeletions"] = async (period, checkpoint, fetch) => {
  const { objectName, since, until, account } = period;
  const fault = findReadingFault(objectName);
  if (fault) throw fault;
  if (checkpoint?.isMerges === true) return readMerges(period, checkpoint, fetch);
  const place = parseListPosition(checkpoint ?? {});
  const properties = [changeProperty(objectName)];
  const { after } = place;
  const request = listPage({ objectName, properties, limit: LIST_LIMIT, after, archived: true });
  const answer = await send(request, fetch, classify, account);
  if (answer.error) {
    if (answer.error.kind !== "invalid" || after === undefined) throw answer.error;
    // Archived records cannot be searched, so the list begins anew.
    return readDeletions(period, { ...restart(place, answer.error) }, fetch);
  }
  const { fresh, next } = advance(readListing(answer.body, objectName), place);
  const records = fresh.flatMap(({ id, raw }): DeletedRecord[] => {
    const deletedTime = readTime(raw.archivedAt);
    if (deletedTime && (deletedTime < since || deletedTime > until)) return [];
    return [{ id, ...(deletedTime && { deletedTime }), raw }];
  });
  const warning = checkpoint ? undefined : warnOfLostPeriod(period);
  return {
    records,
    next: next ? { ...next } : { isMerges: true },
    ...(warning !== undefined && { warning }),
  };
};

const KEPT_MS = 90 * 24 * 60 * 60_000;

/** Returns a warning if the period begins before what HubSpot still has. */
function warnOfLostPeriod({
  objectName,
  since,
  until,
}: Parameters<ReadConnector["readDeletions"]>[0]): string | undefined {
  const begin = new Date(until.getTime() - KEPT_MS);
  return since < begin
    ? `HubSpot keeps archived records for about 90 days: which ${objectName} were deleted between ${since.toISOString()} and ${begin.toISOString()} ` +
        "may not be found out any more"
    : undefined;
}
