/** Creates and changes HubSpot properties: reads existing ones, creates in batches, patches one by one. */
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";
import { send } from "../../connector-kit/calls/send-request.ts";
import type { ProviderFetch } from "../../connector-kit/calls/provider-fetch.ts";
import { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import { withholdDefinitions } from "../../connector-kit/field-definitions.ts";
import { FieldOutcomes } from "../../connector-kit/calls/field-outcomes.ts";
import type { FieldOutcome, FieldRequest } from "../../connector-kit/fields.ts";
import { classify } from "./classify.ts";
import { readFault, toRecordError } from "./fault.ts";
import { readProperty, type Property } from "./property.ts";
import { planProperty, toPropertyName, type PropertyPlan } from "./property-plan.ts";
import {
  createGroup,
  createProperties,
  createProperty,
  getGroup,
  getProperty,
  listProperties,
  patchProperty,
  PROPERTY_BATCH_LIMIT,
} from "./property-request.ts";

export async function upsertProperties(
  requests: FieldRequest[],
  fetch: ProviderFetch,
): Promise<FieldOutcome[]> {
  const objectNames = [...new Set(requests.map(({ objectName }) => objectName))];
  const existing = new Map<string, Map<string, Property>>();
  for (const name of objectNames) existing.set(name, await readProperties(name, fetch));
  const plans = requests.map((request) =>
    planProperty(request, existing.get(request.objectName)?.get(toPropertyName(request))),
  );
  const planned = plans.map(({ outcome }) => outcome);
  const open = [...plans.keys()].filter((index) => plans[index]?.body);
  if (planned.some(({ error }) => error)) return withholdDefinitions(planned, open);

  const run: Run = { plans, fetch, outcomes: new FieldOutcomes(planned, open) };
  for (const objectName of objectNames) {
    const own = open.filter((index) => plans[index]?.objectName === objectName);
    const fresh = own.filter((index) => !plans[index]?.outcome.metadata);
    if (fresh.length > 0) await run.outcomes.attempt(fresh, () => ensureGroup(run, objectName, fresh));
    for (let start = 0; start < fresh.length; start += PROPERTY_BATCH_LIMIT) {
      const wave = run.outcomes.open(fresh.slice(start, start + PROPERTY_BATCH_LIMIT));
      await run.outcomes.attempt(wave, () => createMany(run, objectName, wave));
    }
    for (const index of own.filter((position) => !fresh.includes(position))) {
      await run.outcomes.attempt([index], () => patch(run, index, plans[index]));
    }
  }
  return run.outcomes.finish();
}

/** Returns the properties of an object by name. Throws `ProviderError`, `not_found` for an unknown object. */
export async function readProperties(
  objectName: string,
  fetch: ProviderFetch,
): Promise<Map<string, Property>> {
  const answer = await send(listProperties(objectName), fetch, classify);
  if (answer.error) throw toUnknownObject(objectName, answer.error);
  const results = isJsonObject(answer.body) && Array.isArray(answer.body.results) ? answer.body.results : [];
  const properties = results.flatMap((raw) => readProperty(raw) ?? []);
  return new Map(properties.map((property) => [property.name, property]));
}

interface Run {
  plans: PropertyPlan[];
  fetch: ProviderFetch;
  outcomes: FieldOutcomes;
}

/** HubSpot answers 400 to the name of an object that it does not know. */
function toUnknownObject(objectName: string, error: ProviderError): ProviderError {
  if (error.kind !== "not_found" && !/infer object type/i.test(error.message)) return error;
  const { code, status, rawResponse } = error;
  const message = `HubSpot has no object \`${objectName}\``;
  return new ProviderError({ kind: "not_found", message, code, status, rawResponse, cause: error });
}

async function ensureGroup({ fetch, outcomes }: Run, objectName: string, indexes: number[]): Promise<void> {
  const found = await send(getGroup(objectName), fetch, classify);
  if (!found.error) return;
  if (found.error.kind !== "not_found") return outcomes.fail(indexes, found.error);
  const made = await send(createGroup(objectName), fetch, classify);
  // It may have been created by another request in the meantime.
  if (made.error && made.error.kind !== "conflict") outcomes.fail(indexes, made.error);
}

async function createMany(run: Run, objectName: string, indexes: number[]): Promise<void> {
  const { plans, fetch, outcomes } = run;
  const bodies = indexes.map((index) => plans[index]?.body ?? {});
  const answer = await send(createProperties(objectName, bodies), fetch, classify);
  if (answer.error && !isAboutDefinitions(answer.error)) return outcomes.fail(indexes, answer.error);
  // One bad definition fails the whole batch without being named, so each is sent alone.
  if (answer.error) {
    for (const index of indexes) await outcomes.attempt([index], () => createOne(run, objectName, index));
    return;
  }
  // Failed ones are missing from the results, so only names match.
  const made = new Map(listIn(answer.body, "results").map((raw) => [String(raw.name), raw]));
  const refused = listRefusals(answer.body);
  for (const index of indexes) {
    const name = plans[index]?.outcome.fieldName ?? "";
    const metadata = made.get(name);
    const error = refused.get(name);
    if (metadata) outcomes.settle(index, { action: "create", metadata });
    else if (error?.kind === "conflict") await outcomes.attempt([index], () => takeOver(run, index, error));
    else if (error) outcomes.fail([index], error);
  }
}

async function createOne(run: Run, objectName: string, index: number): Promise<void> {
  const answer = await send(createProperty(objectName, run.plans[index]?.body ?? {}), run.fetch, classify);
  if (answer.error?.kind === "conflict") return takeOver(run, index, answer.error);
  if (answer.error) return run.outcomes.fail([index], answer.error);
  const metadata = isJsonObject(answer.body) ? answer.body : undefined;
  run.outcomes.settle(index, { action: "create", metadata });
}

/** The property was created by another request after it was looked up: changes it like an existing one. */
async function takeOver(run: Run, index: number, error: ProviderError): Promise<void> {
  const plan = run.plans[index];
  const name = plan?.outcome.fieldName ?? "";
  const answer = await send(getProperty(plan?.objectName ?? "", name), run.fetch, classify);
  const property = answer.error ? undefined : readProperty(answer.body);
  if (!plan || !property) return run.outcomes.fail([index], error);
  const again = planProperty(plan, property);
  if (again.outcome.error) return run.outcomes.fail([index], again.outcome.error);
  if (!again.body) return run.outcomes.settle(index, { action: "none", metadata: property.raw });
  await patch(run, index, again);
}

async function patch({ fetch, outcomes }: Run, index: number, plan: PropertyPlan | undefined): Promise<void> {
  if (!plan?.body) return;
  const request = patchProperty(plan.objectName, plan.outcome.fieldName, plan.body);
  const answer = await send(request, fetch, classify);
  if (answer.error) return outcomes.fail([index], answer.error);
  const metadata = isJsonObject(answer.body) ? answer.body : plan.outcome.metadata;
  outcomes.settle(index, { action: "update", metadata });
}

const isAboutDefinitions = ({ kind }: ProviderError): boolean => kind === "invalid" || kind === "conflict";

/** Returns by name why definitions that are missing from a batch's results were refused. */
function listRefusals(body: Json | undefined): Map<string, ProviderError> {
  return new Map(
    listIn(body, "errors").flatMap((entry): [string, ProviderError][] => {
      const context = isJsonObject(entry.context) ? entry.context : {};
      const names = Array.isArray(context.name) ? context.name.map(String) : [];
      const fault = readFault(entry);
      return fault ? names.map((name) => [name, toRecordError(fault)]) : [];
    }),
  );
}

const listIn = (body: Json | undefined, member: string): JsonObject[] => {
  const list = isJsonObject(body) ? body[member] : undefined;
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
};
