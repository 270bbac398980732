/** Creates and changes Salesforce custom fields: reads, merges, writes what differs, and makes them visible. */
import type { ProviderFetch } from "../../connector-kit/calls/provider-fetch.ts";
import { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import { withholdDefinitions } from "../../connector-kit/field-definitions.ts";
import { FieldOutcomes } from "../../connector-kit/calls/field-outcomes.ts";
import type { FieldOutcome, FieldRequest } from "../../connector-kit/fields.ts";
import { buildFullName } from "./custom-field.ts";
import { planField, type FieldPlan } from "./custom-field-plan.ts";
import { toError } from "./fault.ts";
import { COMPONENT_LIMIT, readComponentFaults, readComponents, upsertComponents } from "./soap.ts";
import { makeVisible } from "./visibility.ts";
import { getChildText, type Element } from "./xml.ts";

export async function upsertCustomFields(
  requests: FieldRequest[],
  fetch: ProviderFetch,
): Promise<FieldOutcome[]> {
  const existing = await readExisting(requests.map(buildFullName), fetch);
  const plans = requests.map((request) =>
    planField(request, existing.get(buildFullName(request).toLowerCase())),
  );
  const planned = plans.map(({ outcome }) => outcome);
  const open = [...plans.keys()].filter((index) => plans[index]?.component);
  if (planned.some(({ error }) => error)) return withholdDefinitions(planned, open);

  const outcomes = new FieldOutcomes(planned, open);
  for (const wave of splitIntoChunks(open)) {
    await outcomes.attempt(wave, () => writeWave(plans, wave, fetch, outcomes));
  }
  return await showFields(plans, outcomes.finish(), fetch);
}

const splitIntoChunks = <T>(items: T[]): T[][] =>
  Array.from({ length: Math.ceil(items.length / COMPONENT_LIMIT) }, (_, wave) =>
    items.slice(wave * COMPONENT_LIMIT, (wave + 1) * COMPONENT_LIMIT),
  );

/** Returns definitions by full name in lower case; names are case-insensitive at Salesforce. */
async function readExisting(fullNames: string[], fetch: ProviderFetch): Promise<Map<string, Element>> {
  const found = new Map<string, Element>();
  for (const part of splitIntoChunks(fullNames)) {
    const answer = await readComponents("CustomField", part, fetch);
    if (answer.error) throw answer.error;
    for (const record of answer.results)
      found.set((getChildText(record, "fullName") ?? "").toLowerCase(), record);
  }
  return found;
}

async function writeWave(
  plans: FieldPlan[],
  wave: number[],
  fetch: ProviderFetch,
  outcomes: FieldOutcomes,
): Promise<void> {
  const components = wave.flatMap((index) => plans[index]?.component ?? []);
  const answer = await upsertComponents("CustomField", components, fetch);
  if (answer.error) return outcomes.fail(wave, answer.error);
  const results = new Map(
    answer.results.map((result) => [(getChildText(result, "fullName") ?? "").toLowerCase(), result]),
  );
  for (const index of wave) {
    const result = results.get(plans[index]?.fullName.toLowerCase() ?? "");
    if (!result) continue;
    if (getChildText(result, "success") !== "true") outcomes.fail([index], toRefusal(result));
    else outcomes.settle(index, { action: getChildText(result, "created") === "true" ? "create" : "update" });
  }
}

/** An unknown object is reported as a fault of the field. */
function toRefusal(result: Element): ProviderError {
  const error = toError(readComponentFaults(result), { otherwise: "invalid" });
  const isUnknown = error.code === "INVALID_CROSS_REFERENCE_KEY" && error.message.includes("'CustomObject'");
  if (!isUnknown) return error;
  return new ProviderError({ kind: "not_found", code: error.code, message: error.message, cause: error });
}

/** Makes fields visible. A field that cannot be made visible exists all the same, so its outcome has both. */
async function showFields(
  plans: FieldPlan[],
  outcomes: FieldOutcome[],
  fetch: ProviderFetch,
): Promise<FieldOutcome[]> {
  const present = plans.filter((_, index) => !outcomes[index]?.error);
  if (present.length === 0) return outcomes.map(withoutPlan);
  const names = (required: boolean) =>
    present.filter((plan) => plan.required === required).map(({ fullName }) => fullName);
  try {
    const visible = names(false);
    if (visible.length > 0) await makeVisible({ shown: visible, required: names(true) }, fetch);
    return outcomes.map(withoutPlan);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    if (outcomes.every(({ action }) => action === "none")) throw error;
    return outcomes.map((outcome, index) =>
      outcome.error || plans[index]?.required
        ? withoutPlan(outcome)
        : { ...outcome, error: toHiddenError(error) },
    );
  }
}

/** Drops the metadata of a field that was not written. */
const withoutPlan = (outcome: FieldOutcome): FieldOutcome =>
  outcome.error ? { ...outcome, metadata: undefined } : outcome;

const toHiddenError = (error: ProviderError): ProviderError =>
  new ProviderError({
    kind: error.kind,
    message: `the field is there, but the connected user may not see it yet, because making it visible failed: ${error.message}`,
    code: error.code,
    status: error.status,
    retryAt: error.retryAt,
    rawResponse: error.rawResponse,
    cause: error,
  });
