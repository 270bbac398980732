/** Creates, updates and deletes HubSpot records one request each. */
import { isJsonObject } from "../../server/ground/json.ts";
import { send } from "../../connector-kit/send-request.ts";
import type { RecordToWrite, RecordWrite, WriteResult } from "../../connector-kit/connector.ts";
import type { ProviderFetch, ProviderRequest } from "../../connector-kit/provider-fetch.ts";
import { Outcomes } from "../../connector-kit/outcomes.ts";
import { classify } from "./classify.ts";
import { toOutcome } from "./record.ts";
import { createOne, deleteOne, idFault, updateOne } from "./request.ts";

export async function writeSingly(write: RecordWrite, fetch: ProviderFetch): Promise<WriteResult> {
  const outcomes = new Outcomes(write.records.length);
  const result: WriteResult = { outcomes: [], warnings: [] };
  for (const [index, record] of write.records.entries()) {
    const fault = write.type === "create" ? undefined : idFault(record.id);
    if (fault) outcomes.fail([index], fault);
    else await outcomes.attempt([index], () => writeOne(write, index, record, fetch, { outcomes, result }));
  }
  return { ...result, outcomes: outcomes.finish() };
}

/** The request for one record of a write. */
export function requestFor(write: RecordWrite, record: RecordToWrite): ProviderRequest {
  switch (write.type) {
    case "create":
      return createOne(write.objectName, record);
    case "update":
      return updateOne(write.objectName, record);
    case "delete":
      return deleteOne(write.objectName, record);
  }
}

async function writeOne(
  write: RecordWrite,
  index: number,
  record: RecordToWrite,
  fetch: ProviderFetch,
  { outcomes, result }: { outcomes: Outcomes; result: WriteResult },
): Promise<void> {
  const answer = await send(requestFor(write, record), fetch, classify, write.account);
  if (write.type === "delete" && record.id !== undefined) {
    // HubSpot answers 204 also for a record that never was; a 404, where one comes, says the same thing.
    if (!answer.error || answer.error.kind === "not_found") {
      if (answer.error) result.warnings.push(`record ${record.id} was not there`);
      return outcomes.settle(index, { success: true, recordId: record.id });
    }
  }
  if (answer.error) {
    result.rawResponse = answer.error.rawResponse;
    return outcomes.fail([index], answer.error);
  }
  outcomes.settle(index, toOutcome(isJsonObject(answer.body) ? answer.body : {}));
}
