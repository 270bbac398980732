/** Carries out a plan against the provider: reads what must be read, writes, and reports one outcome per record. */
import type {
  Account,
  Connector,
  ProviderFetch,
  RecordOutcome,
  WriteResult,
} from "../../connectors/kit/connector.ts";
import { ProviderError } from "../../connectors/kit/errors.ts";
import { neededReads, settleIfEmpty, toRecordWrite, type WritePlan } from "./plan.ts";

export interface Execution extends WriteResult {
  /** The plan as it was finally carried out, `ifEmpty` decided. */
  plan: WritePlan;
  /** When the request as a whole got no usable answer: every outcome is this error. */
  failure?: ProviderError;
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
    const { outcomes, warnings, rawResponse } = await connector.write(toRecordWrite(settled, options), fetch);
    return { plan: settled, outcomes, warnings, rawResponse };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    const outcomes = plan.records.map((): RecordOutcome => ({ success: false, error }));
    return { plan: settled, outcomes, warnings: [], rawResponse: error.rawResponse, failure: error };
  }
}
