/** Writes records with one request each, in order, and collects their outcomes. */
import type { RecordOutcome, RecordToWrite, RecordWrite, WriteResult } from "../connector.ts";
import { Outcomes } from "./outcomes.ts";
import type { ProviderError } from "./provider-error.ts";

export interface SingleOutcome {
  outcome: RecordOutcome;
  /** For the result's `warnings`. */
  warning?: string;
}

interface SingleWrite {
  /** Why a record cannot be sent, such as a malformed id; undefined if it can. */
  findFault(record: RecordToWrite): ProviderError | undefined;
  /** Sends one record. Throws `ProviderError` if the call as a whole failed. */
  send(record: RecordToWrite): Promise<SingleOutcome>;
}

/** Sends nothing for a record with a fault, and stops where `Outcomes.attempt` does. */
export async function writeSingly(
  { records }: RecordWrite,
  { findFault, send }: SingleWrite,
): Promise<WriteResult> {
  const outcomes = new Outcomes(records.length);
  const warnings: string[] = [];
  let rawResponse: string | undefined;
  for (const [index, record] of records.entries()) {
    const fault = findFault(record);
    if (fault) {
      outcomes.fail([index], fault);
      continue;
    }
    await outcomes.attempt([index], async () => {
      const { outcome, warning } = await send(record);
      if (!outcome.success) rawResponse = outcome.error.rawResponse ?? rawResponse;
      if (warning !== undefined) warnings.push(warning);
      outcomes.settle(index, outcome);
    });
  }
  return { outcomes: outcomes.finish(), warnings, ...(rawResponse !== undefined && { rawResponse }) };
}
