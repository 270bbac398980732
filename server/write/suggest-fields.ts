/** Adds to the refusal of a field that the account does not have the nearest name that it has. */
import type { RecordOutcome } from "../../connector-kit/connector.ts";
import { findFieldsConnector } from "../../connector-kit/fields.ts";
import { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import { findClosest } from "../../ground/closest.ts";
import type { ProviderCall } from "../operations/call-provider.ts";
import type { MetadataMemory } from "../operations/metadata-memory.ts";
import { rephraseError } from "./naming-fields.ts";
import type { WritePlan } from "./plan-write.ts";

/**
 * Describes the object only if a refusal names a field of its record. What cannot be described is left as the provider said it:
 * the refusal counts, not its explanation. Only fields that may be named are suggested.
 */
export async function suggestFields(
  deps: { metadata: MetadataMemory },
  { connection, connector, fetch }: ProviderCall,
  { objectName, records }: Pick<WritePlan, "objectName" | "records">,
  outcomes: RecordOutcome[],
  mayName: (field: string) => boolean = () => true,
): Promise<RecordOutcome[]> {
  const named = outcomes.map((outcome, index) =>
    outcome.success ? [] : findNamedFields(outcome.error, Object.keys(records[index]?.fields ?? {})),
  );
  const fields = connector && findFieldsConnector(connector, objectName);
  if (!fields || named.every(({ length }) => length === 0)) return outcomes;
  try {
    const known = await deps.metadata.get(connection, objectName, () =>
      fields.describe(objectName, fetch, connection.account),
    );
    const names = Object.keys(known.fields).filter(mayName);
    return outcomes.map((outcome, index) => {
      const remedy = formatSuggestions(named[index] ?? [], names);
      if (outcome.success || remedy === "") return outcome;
      const message = `${outcome.error.message.replace(/\.$/, "")}. ${remedy}`;
      return { ...outcome, error: rephraseError(outcome.error, message) };
    });
  } catch (error) {
    if (error instanceof ProviderError) return outcomes;
    throw error;
  }
}

/** Returns the fields of the record that the error is about, by its list or its text. */
function findNamedFields(error: ProviderError, sent: string[]): string[] {
  if (error.kind !== "invalid" || error.causedByAnother) return [];
  const words = new Set(error.message.toLowerCase().match(/[\p{L}\p{N}_]+/gu));
  const reported = new Set(error.fields.map((name) => name.toLowerCase()));
  return sent.map((name) => name.toLowerCase()).filter((name) => reported.has(name) || words.has(name));
}

function formatSuggestions(named: string[], names: string[]): string {
  const known = new Set(names.map((name) => name.toLowerCase()));
  const found = named.flatMap((name) => {
    const near = known.has(name) ? undefined : findClosest(name, names);
    return near === undefined ? [] : [{ name, near }];
  });
  if (found.length === 1) return `Did you mean "${found[0]?.near}"?`;
  return found.map(({ name, near }) => `For "${name}", did you mean "${near}"?`).join(" ");
}
