/** Isolates bad records where HubSpot refuses a whole batch request. */
import type { Json } from "../../ground/json.ts";
import { send } from "../../connector-kit/calls/send-request.ts";
import type { RecordWrite } from "../../connector-kit/connector.ts";
import type { ProviderFetch, ProviderRequest } from "../../connector-kit/calls/provider-fetch.ts";
import { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import type { Outcomes } from "../../connector-kit/calls/outcomes.ts";
import { classify } from "./classify.ts";
import { readFault, type HubspotFault } from "./fault.ts";

interface PartialWrite {
  write: RecordWrite;
  fetch: ProviderFetch;
  outcomes: Outcomes;
  request: (indexes: number[]) => ProviderRequest;
  /** Reads the answer to a request that was not refused as a whole. */
  settle: (indexes: number[], body: Json | undefined) => void;
  /** The body of the last refusal, for the caller. */
  refused: (rawResponse: string | undefined) => void;
}

/**
 * Sends these records. A refusal of the whole means that nothing was written, so the others are sent again: without the
 * records that use a property the refusal names, or in halves until each bad record is alone.
 */
export async function writePartially(batch: PartialWrite, indexes: number[]): Promise<void> {
  await batch.outcomes.attempt(indexes, async () => {
    const answer = await send(batch.request(indexes), batch.fetch, classify, batch.write.account);
    if (!answer.error) return batch.settle(indexes, answer.body);

    batch.refused(answer.error.rawResponse);
    const fault = readFault(answer.body);
    if (!isAboutRecords(fault)) return batch.outcomes.fail(indexes, answer.error);
    failNamed(batch.write, batch.outcomes, indexes, { fault, error: answer.error });
    const rest = batch.outcomes.open(indexes);
    if (rest.length < indexes.length) return await resend(batch, [rest]);
    if (indexes.length === 1) return batch.outcomes.fail(indexes, answer.error);
    const half = Math.ceil(indexes.length / 2);
    return await resend(batch, [indexes.slice(0, half), indexes.slice(half)]);
  });
}

async function resend(batch: PartialWrite, parts: number[][]): Promise<void> {
  for (const part of parts) {
    if (part.length > 0) await writePartially(batch, part);
  }
}

/** Whether the fault is about a property or a value; others (object type, permission, syntax) fail every record. */
export const isAboutRecords = (fault: HubspotFault | undefined): fault is HubspotFault =>
  fault?.category === "VALIDATION_ERROR" ||
  fault?.category === "CONFLICT" ||
  (fault?.properties.length ?? 0) > 0;

/** Faults of a property that do not depend on its value, so that its name identifies the records. */
export const NAME_FAULTS = new Set(["PROPERTY_DOESNT_EXIST", "READ_ONLY_VALUE"]);

/** Fails the records that use a property named in the refusal, each with its own reason. */
function failNamed(
  write: RecordWrite,
  outcomes: Outcomes,
  indexes: number[],
  { fault, error }: { fault: HubspotFault | undefined; error: ProviderError },
): void {
  for (const index of indexes) {
    const record = write.records[index]?.fields ?? {};
    const own = (fault?.properties ?? []).filter(
      ({ name, code }) => NAME_FAULTS.has(code) && Object.hasOwn(record, name),
    );
    const [first] = own;
    if (!first) continue;
    const message = [...new Set(own.map((property) => property.message))].join("; ");
    const fields = [...new Set(own.map(({ name }) => name))];
    const { kind, status, rawResponse } = error;
    outcomes.fail(
      [index],
      new ProviderError({ kind, message, code: first.code, fields, status, rawResponse }),
    );
  }
}
