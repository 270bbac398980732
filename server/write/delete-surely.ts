/** Deletes records so that an answer that was cut does not become a refusal: the record is gone, and a repetition would not find it. */
import type {
  RecordOutcome,
  RecordWrite,
  WriteConnector,
  WriteResult,
} from "../../connector-kit/connector.ts";
import type { ProviderFetch } from "../../connector-kit/calls/provider-fetch.ts";
import { leavesDoubt, ProviderError } from "../../connector-kit/calls/provider-error.ts";
import { EgressError } from "../egress/egress-error.ts";
import { endSentence } from "../../ground/sentences.ts";

/**
 * Sends a delete. The records of which nobody knows what became of them are sent once more: one that is not there any more was
 * deleted. After a timeout the caller has waited for long enough, and only the words say it.
 */
export async function deleteSurely(
  connector: Pick<WriteConnector, "write">,
  order: RecordWrite,
  fetch: ProviderFetch,
): Promise<WriteResult> {
  const first = await send(connector, order, fetch);
  const doubt = findDoubt(first);
  if (!doubt) return first;
  if (doubt.kind === "timeout") return explainDoubts(first);
  const doubtful = order.records.filter((_record, index) => readDoubt(first.outcomes[index]));
  const second = await send(connector, { ...order, records: doubtful }, fetch);
  const repeated = explainDoubts(second).outcomes.map((outcome, index): RecordOutcome => {
    const isGone = !outcome.success && outcome.error.kind === "not_found";
    return isGone ? { success: true, recordId: doubtful[index]?.id } : outcome;
  });
  // What the first answer says clearly stays: the second one knows nothing of those records.
  const outcomes = first.outcomes.map((outcome) =>
    readDoubt(outcome) ? (repeated.shift() ?? outcome) : outcome,
  );
  const warnings = [...first.warnings, ...second.warnings];
  if (findDoubt(second)) return { ...second, outcomes, warnings };
  const warning = `The first request to delete was sent again, because it had no clear answer: ${doubt.message}`;
  return { ...second, outcomes, warnings: [...warnings, warning] };
}

/** Returns an error as the outcome, also if the connector throws it. */
async function send(
  connector: Pick<WriteConnector, "write">,
  order: RecordWrite,
  fetch: ProviderFetch,
): Promise<WriteResult> {
  try {
    return await connector.write(order, fetch);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    const outcomes = order.records.map((): RecordOutcome => ({ success: false, error }));
    return { outcomes, warnings: [], rawResponse: error.rawResponse };
  }
}

const findDoubt = ({ outcomes }: WriteResult): ProviderError | undefined =>
  outcomes.map(readDoubt).find((error) => error !== undefined);

const readDoubt = (outcome: RecordOutcome | undefined): ProviderError | undefined =>
  outcome && !outcome.success && isDoubtful(outcome.error) ? outcome.error : undefined;

/** Without a connection nothing was sent, and a provider that says when to come back has done nothing. */
const isDoubtful = ({ kind, cause, retryAt }: ProviderError): boolean =>
  leavesDoubt(kind) && retryAt === undefined && !(cause instanceof EgressError && !cause.sent);

const explainDoubts = (result: WriteResult): WriteResult => ({
  ...result,
  outcomes: result.outcomes.map((outcome) => {
    const error = readDoubt(outcome);
    return error ? { success: false, error: explainDoubt(error) } : outcome;
  }),
});

const explainDoubt = (error: ProviderError): ProviderError =>
  error.with({
    message: `${endSentence(error.message)} The record may have been deleted: if the next request does not find it, it was.`,
  });
