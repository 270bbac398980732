/** Names the fields of a refusal as the caller wrote them. Pure. */
import type { RecordOutcome } from "../../connector-kit/connector.ts";
import type { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import type { PlannedRecord } from "./plan-write.ts";

type Names = Pick<PlannedRecord, "givenNames">;

/**
 * Adds to each failure the fields that it is about and does not name. The refusal of a whole batch is the reason of every record in
 * it, so the names of other records count where a record has none for a field.
 */
export function nameFields(records: Names[], outcomes: RecordOutcome[]): RecordOutcome[] {
  const ofAll = records.flatMap(({ givenNames = {} }) => Object.entries(givenNames));
  return outcomes.map((outcome, index) => {
    if (outcome.success) return outcome;
    const own = Object.entries(records[index]?.givenNames ?? {});
    const names = new Map([...ofAll, ...own].map(([field, name]) => [field.toLowerCase(), name]));
    const message = withFields(outcome.error, names);
    return message === outcome.error.message
      ? outcome
      : { ...outcome, error: outcome.error.with({ message }) };
  });
}

/**
 * Returns the error's message with the fields that it does not name. `names` has them by the provider's field in lower case, since
 * some providers accept fields in any case. Providers whose errors do not list fields often have them in the text.
 */
function withFields({ message, fields }: ProviderError, names: Map<string, string>): string {
  const words = new Set(message.match(/[\p{L}\p{N}_]+/gu));
  const inText = [...words].filter((word) => names.has(word.toLowerCase()));
  const reported = [...new Set([...fields, ...inText])].flatMap((field) => {
    const given = names.get(field.toLowerCase());
    if (words.has(given ?? field) || message.includes(`"${given ?? field}"`)) return [];
    return given === undefined ? field : `${given}, at the provider ${field}`;
  });
  if (reported.length === 0) return message;
  const suffix = ` (${reported.length > 1 ? "fields" : "field"} ${reported.join("; ")})`;
  return message.endsWith(".") ? `${message.slice(0, -1)}${suffix}.` : message + suffix;
}
