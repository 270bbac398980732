/** Reads deleted (archived) HubSpot records, which HubSpot keeps for about 90 days. */
import { brokenPage, checkRising } from "../../connector-kit/page-check.ts";
import type { DeletedRecord, ReadConnector } from "../../connector-kit/read-connector.ts";
import { send } from "../../connector-kit/send-request.ts";
import { textAt } from "../../connector-kit/text-at.ts";
import { classify } from "./classify.ts";
import { readListing } from "./crm-page.ts";
import { changeProperty, isAfter, readingFault } from "./read-object.ts";
import { LIST_LIMIT, listPage } from "./read-request.ts";
import { timeOf } from "./source-record.ts";

/**
 * Archived records have no filter by time, and archiving leaves the change time alone. So all are listed, and those
 * archived in the period are kept: a page may be empty although others follow.
 */
export const readDeletions: ReadConnector["readDeletions"] = async (
  { objectName, since, until, account },
  checkpoint,
  fetch,
) => {
  const fault = readingFault(objectName);
  if (fault) throw fault;
  const place = checkpoint ?? {};
  const after = textAt(place, "after");
  const previous = textAt(place, "lastId");
  const skipTo = textAt(place, "skipTo");
  const properties = [changeProperty(objectName)];
  const request = listPage({ objectName, properties, limit: LIST_LIMIT, after, archived: true });
  const answer = await send(request, fetch, classify, account);
  if (answer.error) {
    if (answer.error.kind !== "invalid" || after === undefined || previous === undefined) throw answer.error;
    // The cursor is no longer accepted, and archived records cannot be searched: list again, without those known.
    return readDeletions({ objectName, since, until, account }, { skipTo: previous }, fetch);
  }
  const { listed, after: next } = readListing(answer.body, objectName);
  checkRising(listed, previous, isAfter);
  const lastId = listed.at(-1)?.id;
  if (next !== undefined && (lastId === undefined || next === after)) {
    throw brokenPage("HubSpot's list of archived records does not advance");
  }
  const records = listed.flatMap(({ id, raw }): DeletedRecord[] => {
    const deletedTime = timeOf(raw.archivedAt);
    if (skipTo !== undefined && !isAfter(id, skipTo)) return [];
    if (deletedTime && (deletedTime < since || deletedTime > until)) return [];
    return [{ id, ...(deletedTime && { deletedTime }), raw }];
  });
  if (next === undefined || lastId === undefined) return { records };
  return { records, next: { after: next, lastId, ...(skipTo !== undefined && { skipTo }) } };
};
