/** Deletes records so that an answer that was cut does not become a refusal: the record is gone, and a repetition would not find it. */
import type {
  RecordOutcome,
  RecordWrite,
  WriteConnector,
  WriteResult,
} from "../../connector-kit/connector.ts";
import type { ProviderFetch } from "../../connector-kit/calls/provider-fetch.ts";
import { ProviderError, type ProviderErrorKind } from "../../connector-kit/calls/provider-error.ts";
import { EgressError } from "../egress/egress-error.ts";

/** Failures after which a delete may have been carried out. */
const DOUBTFUL = new Set<ProviderErrorKind>(["unavailable", "timeout", "unknown_outcome", "unreadable"]);

/**
 * Sends a delete. If nobody knows what became of it, sends it once more: a record that is not there any more was deleted. After a timeout
 * the caller has waited for long enough, and only the words say it.
 */
export async function deleteSurely(
  connector: Pick<WriteConnector, "write">,
  order: RecordWrite,
  fetch: ProviderFetch,
): Promise<WriteResult> {
  const first = await send(connector, order, fetch);
  const doubt = findDoubt(first);
  if (!doubt) return first;
  if (doubt.kind === "timeout") return inDoubt(first);
  const second = await send(connector, order, fetch);
  if (findDoubt(second)) return inDoubt(second);
  const outcomes = second.outcomes.map((outcome, index): RecordOutcome => {
    const isGone = !outcome.success && outcome.error.kind === "not_found";
    return isGone ? { success: true, recordId: order.records[index]?.id } : outcome;
  });
  const warning = `The first request to delete was sent again, because it had no clear answer: ${doubt.message}`;
  return { ...second, outcomes, warnings: [...second.warnings, warning] };
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
  outcomes.flatMap((outcome) => (!outcome.success && isDoubtful(outcome.error) ? [outcome.error] : []))[0];

/** Without a connection nothing was sent, and a provider that says when to come back has done nothing. */
const isDoubtful = ({ kind, cause, retryAt }: ProviderError): boolean =>
  DOUBTFUL.has(kind) && retryAt === undefined && !(cause instanceof EgressError && !cause.sent);

const inDoubt = (result: WriteResult): WriteResult => ({
  ...result,
  outcomes: result.outcomes.map((outcome) =>
    outcome.success || !isDoubtful(outcome.error)
      ? outcome
      : { success: false, error: explain(outcome.error) },
  ),
});

function explain({ kind, message, code, status, rawResponse, cause }: ProviderError): ProviderError {
  const words = `${message.replace(/\.$/, "")}. The record may have been deleted: if the next request does not find it, it was.`;
  return new ProviderError({ kind, message: words, code, status, rawResponse, cause });
}
