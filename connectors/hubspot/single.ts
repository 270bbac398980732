/** Creates, updates and deletes HubSpot records with one request each. */
import type { RecordToWrite, RecordWrite, WriteResult } from "../../connector-kit/connector.ts";
import type { ProviderFetch, ProviderRequest } from "../../connector-kit/calls/provider-fetch.ts";
import { sendForNothing } from "../../connector-kit/calls/send-for-nothing.ts";
import { send } from "../../connector-kit/calls/send-request.ts";
import { writeSingly, type SingleOutcome } from "../../connector-kit/calls/write-singly.ts";
import { isJsonObject } from "../../ground/json.ts";
import { classify } from "./classify.ts";
import { toOutcome } from "./record.ts";
import { createOne, deleteOne, findIdFault, updateOne } from "./request.ts";

export const writeOneByOne = (write: RecordWrite, fetch: ProviderFetch): Promise<WriteResult> =>
  writeSingly(write, {
    findFault: ({ id }) => (write.type === "create" ? undefined : findIdFault(id)),
    send: (record) => writeOne(write, record, fetch),
  });

/** Returns the request for one record of a write. */
export function buildRecordRequest(write: RecordWrite, record: RecordToWrite): ProviderRequest {
  switch (write.type) {
    case "create":
      return createOne(write.objectName, record);
    case "update":
      return updateOne(write.objectName, record);
    case "delete":
      return deleteOne(write.objectName, record);
    case "upsert":
      throw new Error("HubSpot upserts by the batch only");
  }
}

async function writeOne(
  write: RecordWrite,
  record: RecordToWrite,
  fetch: ProviderFetch,
): Promise<SingleOutcome> {
  const request = buildRecordRequest(write, record);
  if (write.type === "delete" && record.id !== undefined) {
    const refusal = await sendForNothing("HubSpot", request, fetch, { classify, account: write.account });
    const outcome = { success: true, recordId: record.id } as const;
    if (!refusal) return { outcome };
    // HubSpot answers 204 also for a record that never existed; a 404 means the same.
    if (refusal.kind === "not_found") return { outcome, warning: `record ${record.id} was not there` };
    return { outcome: { success: false, error: refusal } };
  }
  const answer = await send(request, fetch, classify, write.account);
  if (answer.error) return { outcome: { success: false, error: answer.error } };
  const outcome = toOutcome(isJsonObject(answer.body) ? answer.body : {});
  const other =
    outcome.success && write.type === "update" && outcome.recordId !== record.id
      ? outcome.recordId
      : undefined;
  // The id of a record that was merged into another one leads there.
  return other === undefined
    ? { outcome }
    : {
        outcome,
        warning: `HubSpot updated record ${other}, with which record ${record.id} may have been merged`,
      };
}
