/** Upserts custom fields in a customer's account. A Problem lists what was done before the failure. */
import { ProviderError } from "../../../connector-kit/calls/provider-error.ts";
import type { CustomFieldsConnector, FieldOutcome, FieldRequest } from "../../../connector-kit/fields.ts";
import { Problem, type Issue } from "../../../ground/errors.ts";
import { callProvider, type CallOutcome, type CallServices } from "../../operations/call-provider.ts";
import { requireCustomFieldsConnector } from "./customer-account.ts";
import type { FieldResult, UpsertAnswer, UpsertRequest } from "./field-definition.ts";
import type { MetadataMemory } from "../../operations/metadata-memory.ts";
import { toProviderProblem, formatSentence } from "../../operations/provider-problem.ts";

export type UpsertServices = CallServices & { metadata: MetadataMemory };

/** A definition with its place in the body. */
type Placed = FieldRequest & { place: string };

export async function upsertFields(
  deps: UpsertServices,
  target: { projectId: string; connectionId: string; provider: string; module?: string },
  asked: UpsertRequest["fields"],
): Promise<UpsertAnswer> {
  try {
    const fields = requireCustomFieldsConnector(deps.catalog, target);
    const requests = listPlaced(asked);
    refuseFaulty(requests, fields);
    const call = { ...target, outcomesIn: callOutcomes };
    const outcomes = await callProvider(deps, call, ({ fetch }) => fields.upsert(requests, fetch)).finally(
      () => deps.metadata.forget(target.connectionId),
    );
    if (outcomes.some(({ error }) => error)) throw toRefusal(requests, outcomes, target.connectionId);
    return { success: true, fields: toResults(requests, outcomes) };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    throw toProviderProblem(error, target.connectionId, {
      detail: `No field was created or changed: ${formatSentence(error)}`,
      extensions: { success: false, fields: {} },
    });
  }
}

const callOutcomes = (outcomes: FieldOutcome[]): CallOutcome[] =>
  outcomes.map(({ error }) => (error ? { success: false, error } : { success: true }));

const listPlaced = (asked: UpsertRequest["fields"]): Placed[] =>
  Object.entries(asked).flatMap(([objectName, definitions]) =>
    definitions.map((definition, index) => ({
      objectName,
      definition,
      place: `fields.${objectName}[${index}]`,
    })),
  );

/** The number of fields that providers create within one request. */
const MAX_FIELDS = 200;

/** Throws a 400 Problem with one issue per fault, before anything is sent. */
function refuseFaulty(requests: Placed[], fields: CustomFieldsConnector): void {
  if (requests.length > MAX_FIELDS) {
    const detail = `one request takes at most ${MAX_FIELDS} fields, this one has ${requests.length}; send them in parts.`;
    const issues: Issue[] = [{ in: "body", name: "fields", detail }];
    throw new Problem("invalid-request", { detail: `fields: ${detail}`, issues });
  }
  const issues = requests.flatMap((request) =>
    fields.check(request).map(({ member, message }): Issue => {
      const name = member ? `${request.place}.${member}` : request.place;
      return { in: "body", name, detail: `${message}.` };
    }),
  );
  const seen = new Map<string, string>();
  for (const request of requests) {
    const key = JSON.stringify([request.objectName, fields.getName(request)]);
    const first = seen.get(key);
    const name = `${request.place}.fieldName`;
    if (first) issues.push({ in: "body", name, detail: `${first} defines the same field. Give it once.` });
    else seen.set(key, request.place);
  }
  const [first] = issues;
  if (!first) return;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more, see \`issues\`)` : "";
  throw new Problem("invalid-request", { detail: `${first.name}: ${first.detail}${more}`, issues });
}

function toResults(requests: Placed[], outcomes: FieldOutcome[]): UpsertAnswer["fields"] {
  const objects = new Map<string, [string, FieldResult][]>();
  for (const [index, { objectName, definition }] of requests.entries()) {
    const outcome = outcomes[index];
    if (!outcome) continue;
    const fields = objects.get(objectName) ?? [];
    fields.push([definition.fieldName, toResult(outcome)]);
    objects.set(objectName, fields);
  }
  return Object.fromEntries([...objects].map(([name, fields]) => [name, Object.fromEntries(fields)]));
}

function toResult({ fieldName, action, metadata, warnings, error }: FieldOutcome): FieldResult {
  return {
    fieldName,
    action,
    ...(metadata && { metadata }),
    ...(warnings.length > 0 && { warnings }),
    ...(error && { error: { message: formatSentence(error), ...(error.code && { code: error.code }) } }),
  };
}

/** Returns a Problem with the result of each field. */
function toRefusal(requests: Placed[], outcomes: FieldOutcome[], connectionId: string): Problem {
  const all = outcomes.flatMap(({ error }, index) => {
    const name = requests[index]?.place ?? "fields";
    return error ? [{ error, name, detail: formatSentence(error) }] : [];
  });
  // A conflict with an existing field stops the others, so it is reported first.
  const conflicts = all.filter(({ error }) => error.kind === "conflict");
  const failures = [...conflicts, ...all.filter(({ error }) => error.kind !== "conflict")];
  const done = outcomes.filter(({ action }) => action !== "none").length;
  const extensions = { success: false, fields: toResults(requests, outcomes) };
  const issues = failures.map(({ name, detail }): Issue => ({ in: "body", name, detail }));
  const [first] = failures;
  const reported = first ? `${first.name}: ${first.detail}` : "";
  if (conflicts.length > 0 && done === 0) {
    return new Problem("invalid-request", { detail: `Nothing was changed. ${reported}`, issues, extensions });
  }
  const detail = `${done} of ${outcomes.length} fields were created or changed, ${failures.length} failed: ${reported} Repeating the request is safe; \`fields\` tells what was done.`;
  if (!first) return new Problem("provider-refused", { detail, extensions });
  return toProviderProblem(first.error, connectionId, { detail, issues, extensions });
}
