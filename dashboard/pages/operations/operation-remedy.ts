/** What to do about a failed operation, by the kind that the connector gave the error. */

interface Step {
  severity: string;
  message: { details?: Readonly<Record<string, string>> };
}

const REMEDIES: Readonly<Record<string, string>> = {
  unauthorized: "The customer has to connect the account again; then send the write again.",
  forbidden:
    "The account may not do this. Check the scopes of the provider app and the rights of the person who connected.",
  not_found: "The record or object is not in the customer's account. Check its id.",
  conflict: "Another record has one of these values. Update that record, or change the value.",
  invalid: "The provider refuses a value. Correct the field that the error names and write again.",
  rate_limited: "The provider's rate limit was reached. Write asynchronously, so that Busbar retries.",
  unavailable: "The provider could not be reached. Write asynchronously, so that Busbar retries.",
  timeout: "The provider did not answer in time. Look the record up there before you write again.",
  unknown_outcome:
    "It is not known whether the record was written. Look it up at the provider before you write again.",
  locked_out: "The provider has locked the account for a while. Wait, then write again.",
  unreadable: "The provider's answer could not be read. Write again; if it happens again, look at the steps.",
};

/** Returns the remedy of the last error; undefined after a cancellation or without an error. */
export function findRemedy(result: string | undefined, steps: readonly Step[]): string | undefined {
  if (result?.includes("] Cancelled"))
    return "It was cancelled on request. Write it again if it is still wanted.";
  const kind = steps.findLast(({ severity }) => severity === "ERROR")?.message.details?.["kind"];
  return REMEDIES[kind ?? ""] ?? "The steps below show what was sent and what the provider answered.";
}
