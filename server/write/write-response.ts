/** The answers of the write endpoint: success, partial success, and the refusal that is both Problem and result. */
import { Type, type Static } from "typebox";
import { isRetryable, type ProviderError } from "../../connector-kit/calls/provider-error.ts";
import type { RecordOutcome } from "../../connector-kit/connector.ts";
import { described } from "../../ground/described.ts";
import { Problem } from "../../ground/errors.ts";
import type { ProblemSlug } from "../../ground/problem-types.ts";
import type { Execution } from "./execute-plan.ts";
import { endSentence } from "../../ground/sentences.ts";

const WriteResultSchema = Type.Object(
  {
    success: Type.Boolean({ description: "Whether the record was written." }),
    recordId: Type.Optional(Type.String({ description: "The provider's id of the record." })),
    created: Type.Optional(
      Type.Boolean({ description: "Of an upsert, where the provider tells: whether the record is new." }),
    ),
    data: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: "The record as the provider has it after the write.",
      }),
    ),
  },
  { title: "WriteResult", description: "Result for one record." },
);

const MessageSchema = Type.Object(
  { message: Type.String({ description: "The message." }) },
  { title: "WriteMessage", description: "A message for people." },
);

const operationId = Type.String({ format: "uuid", description: "Look the operation up under this id." });

const SingleAnswerSchema = Type.Object(
  { operationId, result: described(WriteResultSchema, "Result for the record.") },
  { title: "WriteResponse", description: "One record, written." },
);

const BatchAnswerSchema = Type.Object(
  {
    operationId,
    successCount: Type.Integer({ description: "Number of records written." }),
    failureCount: Type.Integer({ description: "Number of records that failed." }),
    results: Type.Array(WriteResultSchema, { description: "One per record of the request, in its order." }),
    errors: Type.Array(MessageSchema, {
      description: "One per record that failed, in the order of the request.",
    }),
  },
  { title: "BatchWriteResponse", description: "A batch of which at least one record was written." },
);

const AcceptedAnswerSchema = Type.Object(
  { operationId },
  { title: "WriteAccepted", description: "Accepted: the write happens in the background." },
);

export const WriteAnswerSchema = Type.Union([BatchAnswerSchema, SingleAnswerSchema, AcceptedAnswerSchema]);
export type WriteAnswer = Static<typeof WriteAnswerSchema>;

/** Members of a refused write beside those of a Problem. */
export const RefusedWriteSchema = Type.Object(
  {
    operationId: Type.Optional(operationId),
    ...Type.Partial(Type.Pick(BatchAnswerSchema, ["successCount", "failureCount", "results", "errors"]))
      .properties,
    result: Type.Optional(described(WriteResultSchema, "Result for the record.")),
    warnings: Type.Optional(Type.Array(MessageSchema, { description: "Further messages of the provider." })),
    rawResponse: Type.Optional(Type.String({ description: "The provider's answer, unchanged." })),
  },
  { title: "RefusedWrite", description: "Members of a failed write, in addition to those of the Problem." },
);

type Result = Static<typeof WriteResultSchema>;

/** Returns the body of a 200; throws a Problem when no record was written. */
export function toWriteAnswer(
  { id, connectionId }: { id: string; connectionId: string },
  execution: Execution,
): WriteAnswer {
  const { plan, outcomes } = execution;
  const successCount = outcomes.filter((outcome) => outcome.success).length;
  if (successCount === 0) throw toRefusal(id, connectionId, execution);
  if (!plan.batch) return { operationId: id, result: toResult(outcomes[0]) };
  return { operationId: id, ...listBatchMembers(outcomes) };
}

function listBatchMembers(outcomes: RecordOutcome[]) {
  const results = outcomes.map(toResult);
  const successCount = results.filter((result) => result.success).length;
  return {
    successCount,
    failureCount: results.length - successCount,
    results,
    errors: toErrorMessages(outcomes),
  };
}

function toResult(outcome: RecordOutcome | undefined): Result {
  if (!outcome?.success) return { success: false };
  const { recordId, created, data } = outcome;
  return {
    success: true,
    ...(recordId !== undefined && { recordId }),
    ...(created !== undefined && { created }),
    ...(data && { data }),
  };
}

/** Returns one message per failed record; in a batch it names the record. */
function toErrorMessages(outcomes: RecordOutcome[]): { message: string }[] {
  return outcomes.flatMap((outcome, index) => {
    if (outcome.success) return [];
    const { message } = outcome.error;
    return [{ message: outcomes.length > 1 ? `batch[${index}]: ${message}` : message }];
  });
}

function toRefusal(operation: string, connectionId: string, execution: Execution): Problem {
  const { plan, outcomes, warnings, rawResponse } = execution;
  const errors = toErrorMessages(outcomes);
  const first = findDecisiveError(outcomes);
  const result = plan.batch ? listBatchMembers(outcomes) : { result: { success: false }, errors };
  return new Problem(first ? REFUSED_WRITE_SLUGS[first.kind] : "provider-refused", {
    detail: first ? explain(first, plan.batch) : "The provider wrote nothing.",
    causes: errors.map(({ message }) => message),
    retryable: first !== undefined && isRetryable(first.kind),
    retryAfter: first?.retryAt,
    cause: execution.failure ?? first,
    extensions: {
      operationId: operation,
      ...(first?.kind === "unauthorized" && { connectionId }),
      ...result,
      warnings: warnings.map((message) => ({ message })),
      ...(rawResponse !== undefined && { rawResponse }),
    },
  });
}

/** Returns the error that decides the type: one after which a record may have been written, else the first that is a cause. */
function findDecisiveError(outcomes: RecordOutcome[]): ProviderError | undefined {
  const errors = outcomes.flatMap((outcome) => (outcome.success ? [] : [outcome.error]));
  return (
    errors.find(({ kind }) => kind === "unknown_outcome" || kind === "unreadable") ??
    errors.find(({ causedByAnother }) => !causedByAnother) ??
    errors[0]
  );
}

/** Problem types: 4xx for a refusal of the provider, 502 and 504 if there was no usable answer. */
export const REFUSED_WRITE_SLUGS: Record<ProviderError["kind"], ProblemSlug> = {
  unauthorized: "reconnect-required",
  forbidden: "permission-missing",
  not_found: "record-not-found",
  invalid: "provider-refused",
  conflict: "record-conflict",
  rate_limited: "rate-limited",
  unavailable: "provider-unreachable",
  timeout: "provider-timeout",
  unknown_outcome: "unknown-outcome",
  locked_out: "credentials-locked",
  unreadable: "provider-unreadable",
};

/** Only a refusal means for certain that nothing was written. */
function explain({ kind, message }: ProviderError, batch: boolean): string {
  const why = endSentence(message);
  const what = batch ? "the batch" : "the record";
  switch (kind) {
    case "unknown_outcome":
    case "unreadable":
      return `Whether ${what} was written is unknown: ${why} Look it up at the provider before you repeat the request.`;
    case "unavailable":
    case "timeout":
      return `Writing ${what} failed: ${why} Try again later.`;
    case "unauthorized":
      return `${describeNotWritten(batch)}: ${why} The customer has to connect the account again.`;
    default:
      return `${describeNotWritten(batch)}: ${why}`;
  }
}

const describeNotWritten = (batch: boolean): string =>
  batch ? "Nothing of the batch was written" : "The record was not written";
