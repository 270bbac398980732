/** Reads HubSpot records by their ids, with all properties in the body. */
import type { ReadPlan, SourceRecord } from "../../connector-kit/read-connector.ts";
import { objectOrBroken, listOrBroken } from "../../connector-kit/calls/page-check.ts";
import type { ProviderFetch } from "../../connector-kit/calls/provider-fetch.ts";
import { readByIds } from "../../connector-kit/calls/read-by-ids.ts";
import { classify } from "./classify.ts";
import { changeProperty } from "./read-object.ts";
import { BATCH_LIMIT, readBatch } from "./request.ts";
import { toSourceRecord } from "./source-record.ts";

/** Returns the records in the order of `wanted`; those that do not exist (any more) are absent. */
export async function readRecords(
  { objectName, account }: Pick<ReadPlan, "objectName" | "account">,
  wanted: { id: string }[],
  properties: string[],
  fetch: ProviderFetch,
): Promise<SourceRecord[]> {
  const bodies = await readByIds(
    {
      ids: wanted.map(({ id }) => id),
      limit: BATCH_LIMIT,
      request: (ids) => readBatch(objectName, ids, properties),
      classify,
      account,
    },
    fetch,
  );
  const changed = changeProperty(objectName);
  const found = new Map<string, SourceRecord>();
  // HubSpot answers in any order and lists missing ids among the errors.
  for (const body of bodies) {
    const { results } = objectOrBroken(body, "the answer to a batch read");
    for (const raw of listOrBroken(results, "`results`")) {
      const record = toSourceRecord(raw, changed);
      found.set(record.id, record);
    }
  }
  return wanted.flatMap(({ id }) => found.get(id) ?? []);
}
