/** Carries out a plan against the provider: reads what must be read, writes, and reports one outcome per record. */
import type { Connector, RecordOutcome, WriteResult } from "../../connector-kit/connector.ts";
import type { Account, ProviderFetch } from "../../connector-kit/provider-fetch.ts";
import { ProviderError } from "../../connector-kit/provider-error.ts";
import { neededReads, settleIfEmpty, toRecordWrite, type PlannedRecord, type WritePlan } from "./plan.ts";

export interface Execution extends WriteResult {
  /** The plan as it was finally carried out, `ifEmpty` decided. */
  plan: WritePlan;
  /** When the request as a whole got no usable answer: every outcome is this error. */
  failure?: ProviderError;
}

/** A record that was found and of which `ifEmpty` left nothing is as it should be; HubSpot refuses empty updates. */
function outcomeUnsent(
  before: PlannedRecord | undefined,
  { id, fields, withheld }: PlannedRecord,
): RecordOutcome | undefined {
  const isSettled = withheld.length > (before?.withheld.length ?? 0);
  return isSettled && Object.keys(fields).length === 0 ? { success: true, recordId: id } : undefined;
}

/** Never throws a `ProviderError`: it becomes the outcome of every record. */
export async function execute(
  plan: WritePlan,
  connector: NonNullable<Connector["write"]>,
  fetch: ProviderFetch,
  options: { readBack: boolean; account?: Account },
): Promise<Execution> {
  let settled = plan;
  try {
    const reads = neededReads(plan);
    if (reads) {
      const current = await connector.readFields(
        { objectName: plan.objectName, ...reads, account: options.account },
        fetch,
      );
      settled = settleIfEmpty(plan, current, (value) => connector.isEmpty(value));
    }
    const done = settled.records.map((record, index) => outcomeUnsent(plan.records[index], record));
    const rest = { ...settled, records: settled.records.filter((_, index) => !done[index]) };
    if (rest.records.length === 0 && done.length > 0) {
      return { plan: settled, outcomes: done.flatMap((outcome) => outcome ?? []), warnings: [] };
    }
    const { outcomes, ...result } = await connector.write(toRecordWrite(rest, options), fetch);
    const sent = outcomes.values();
    return {
      plan: settled,
      ...result,
      outcomes: done.flatMap((outcome) => outcome ?? sent.next().value ?? []),
    };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    const outcomes = plan.records.map((): RecordOutcome => ({ success: false, error }));
    return { plan: settled, outcomes, warnings: [], rawResponse: error.rawResponse, failure: error };
  }
}
