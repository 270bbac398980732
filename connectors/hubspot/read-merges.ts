/**
 * Finds the records that vanished in merges. HubSpot neither archives them nor answers with them again: only the record that is left names them,
 * in `hs_merged_object_ids`, and the history of this property says since when.
 */
import { isJsonObject, type Json } from "../../ground/json.ts";
import { checkRising, requireObject } from "../../connector-kit/calls/page-check.ts";
import type { ProviderFetch } from "../../connector-kit/calls/provider-fetch.ts";
import type {
  Checkpoint,
  DeletedRecord,
  DeletionPage,
  ReadConnector,
} from "../../connector-kit/read-connector.ts";
import { send, toPassing } from "../../connector-kit/calls/send-request.ts";
import { getTextAt } from "../../connector-kit/calls/get-text-at.ts";
import { classify } from "./classify.ts";
import { placeBehind } from "./crm-page.ts";
import { readFault } from "./fault.ts";
import { parseListPosition, readListing } from "./list-scan.ts";
import { isAfter } from "./read-object.ts";
import { readBatches } from "./read-records.ts";
import { SEARCH_LIMIT, searchPage } from "./read-request.ts";
import { readTime } from "./source-record.ts";

const MERGED = "hs_merged_object_ids";

/**
 * Reads one page of the records that vanished in merges in the period. A merge changes the record that is left, so those that changed since
 * are searched; a later change does not hide the merge, since its time comes from the history.
 */
export async function readMerges(
  { objectName, since, until, account }: Parameters<ReadConnector["readDeletions"]>[0],
  checkpoint: Checkpoint,
  fetch: ProviderFetch,
): Promise<DeletionPage> {
  const place = parseListPosition(checkpoint);
  const request = searchPage({
    plan: { objectName, since },
    filters: [],
    having: MERGED,
    properties: [MERGED],
    limit: SEARCH_LIMIT,
    afterId: place.lastId,
    after: place.after,
  });
  const answer = await send(request, fetch, classify, account);
  if (answer.error) {
    const { kind } = answer.error;
    if (kind === "not_found" && !readFault(answer.body)) throw toPassing(answer.error);
    // Objects that cannot be merged have no such property, and some have no search.
    if (kind === "invalid" || kind === "not_found") return { records: [] };
    throw answer.error;
  }
  const { listed, after } = readListing(answer.body, objectName);
  checkRising(listed, place.lastId, isAfter);
  const left = await readBatches(
    { objectName, ids: listed.map(({ id }) => id), properties: [MERGED], histories: [MERGED], account },
    fetch,
  );
  const records = left
    .flatMap(listVanished)
    .filter(({ deletedTime }) => !deletedTime || (deletedTime >= since && deletedTime <= until));
  const total = isJsonObject(answer.body) ? answer.body.total : undefined;
  const missing = typeof total === "number" ? total - listed.length : 0;
  const next = placeBehind(place, listed.at(-1)?.id, after, missing);
  return { records, ...(next && { next: { ...next, isMerges: true } }) };
}

/** Returns the records that merged into this one, each with the time at which the history names it first. */
function listVanished(raw: Json): DeletedRecord[] {
  const left = requireObject(raw, "a record");
  const history = listVersions(left.propertiesWithHistory);
  return splitIds(getTextAt(left, `properties.${MERGED}`))
    .filter((id) => id !== left.id)
    .map((id) => {
      const times = history.flatMap((version) => {
        const time = readTime(isJsonObject(version) ? version.timestamp : undefined);
        return time && splitIds(getTextAt(version, "value")).includes(id) ? [time] : [];
      });
      const deletedTime = times.toSorted((a, b) => a.getTime() - b.getTime())[0];
      return { id, ...(deletedTime && { deletedTime }), raw: { id, mergedInto: left.id ?? null } };
    });
}

const listVersions = (histories: Json | undefined): Json[] => {
  const history = isJsonObject(histories) ? histories[MERGED] : undefined;
  return Array.isArray(history) ? history : [];
};

const splitIds = (text: string | undefined): string[] =>
  (text ?? "").split(";").flatMap((id) => (id.trim() === "" ? [] : [id.trim()]));
