// Batch create, update and upsert. Like HubSpot's, they fail as a whole or input by input.

import { asData, asList, asText, type SandboxAnswer, type Data, type SandboxExchange } from "../exchange.ts";
import type { Router } from "../router.ts";
import type { Account, TypeStore } from "./account.ts";
import type { StoredRecord } from "./stored-record.ts";
import { refuseInvalid, refuse, buildProblemMembers, refuseValues } from "./errors.ts";
import { checkIdProperty, type AccountSource } from "./objects.ts";
import {
  createRecord,
  parseObject,
  planCreate,
  planUpdate,
  presentAll,
  presentWritten,
  toRefusal,
  updateRecord,
  type Failure,
  type Plan,
} from "./record-writes.ts";
import { checkValues } from "./values.ts";

type BatchOptions = { unknownPropertyFailsBatch?: boolean; echoTraceIds?: boolean };

const MAX_INPUTS = 100;

export function addBatchRoutes(router: Router, account: AccountSource, options: BatchOptions): void {
  const add = (
    name: string,
    run: (account: Account, store: TypeStore, inputs: Data[]) => SandboxAnswer,
  ): void =>
    router.add("POST", `/crm/v3/objects/:type/batch/${name}`, (exchange) =>
      run(account(), account().get(exchange.params["type"] ?? ""), readInputs(exchange)),
    );
  add("create", (own, store, inputs) => createMany(own, store, inputs, options));
  add("update", (_account, store, inputs) => updateMany(store, inputs, options));
  add("upsert", (own, store, inputs) => upsertMany(own, store, inputs, options));
}

/** Reads the objects of `inputs`. Throws if there are none or too many, or if one is not an object. */
export function readInputs(exchange: SandboxExchange, max: number = MAX_INPUTS): Data[] {
  const inputs = parseObject(exchange.body)["inputs"];
  if (!Array.isArray(inputs))
    throw refuseInvalid("Invalid input JSON on line 1, column 1: inputs must be an array");
  if (inputs.length === 0) throw refuseInvalid("The batch has no inputs");
  if (inputs.length > max)
    throw refuseInvalid(`The maximum number of inputs supported in a batch request is ${max}`);
  return inputs.map((input) => asData(input));
}

/** Reads the trace ids if every input has its own. Otherwise returns undefined, and the batch fails as a whole. */
function readTraceIds(inputs: Data[]): string[] | undefined {
  const ids = inputs.flatMap((input) => asText(input["objectWriteTraceId"]) ?? []);
  return new Set(ids).size === inputs.length ? ids : undefined;
}

function createMany(
  account: Account,
  store: TypeStore,
  inputs: Data[],
  options: BatchOptions,
): SandboxAnswer {
  const traceIds = readTraceIds(inputs);
  if (traceIds === undefined) return createAllOrNothing(account, store, inputs);
  if (options.unknownPropertyFailsBatch === true) refuseUnknownProperties(store, inputs);
  const batch = new BatchAnswer({ isDisordered: true });
  for (const [i, input] of inputs.entries()) {
    const traceId = traceIds[i] ?? "";
    const planned = planCreate(account, store, input);
    if ("failure" in planned) batch.fail(planned.failure, { objectWriteTraceId: [traceId] });
    else batch.add(addTrace(presentAll(store, createRecord(account, store, planned.plan)), traceId, options));
  }
  return batch.answer(201);
}

function createAllOrNothing(account: Account, store: TypeStore, inputs: Data[]): SandboxAnswer {
  const problems = inputs.flatMap(
    (input) => checkValues(store.properties, asData(input["properties"])).problems,
  );
  if (problems.length > 0) throw refuseValues(problems);
  const plans: Plan[] = [];
  for (const input of inputs) {
    const planned = planCreate(account, store, input);
    if ("failure" in planned) throw refuseWholeBatch(planned.failure);
    if (plans.some((other) => findSameUnique(store, other, planned.plan))) throw refuseExisting(store);
    plans.push(planned.plan);
  }
  const batch = new BatchAnswer({ isDisordered: true });
  for (const plan of plans) batch.add(presentAll(store, createRecord(account, store, plan)));
  return batch.answer(201);
}

/** Builds the refusal of a whole batch, whose conflicts name no record. */
function refuseWholeBatch(failure: Failure): Error {
  if (failure.status !== 409) return toRefusal(failure);
  return refuse(409, failure.message.replace(/\. Existing ID.*/, ""), { category: "CONFLICT" });
}

function refuseExisting(store: TypeStore): Error {
  const name = store.type.singular.charAt(0) + store.type.singular.slice(1).toLowerCase();
  return refuse(409, `${name} already exists`, { category: "CONFLICT" });
}

function findSameUnique(store: TypeStore, one: Plan, other: Plan): boolean {
  return Object.entries(one.values).some(
    ([name, value]) => store.isUnique(name) && other.values[name]?.toLowerCase() === value.toLowerCase(),
  );
}

function refuseUnknownProperties(store: TypeStore, inputs: Data[]): void {
  const problems = inputs
    .flatMap((input) => checkValues(store.properties, asData(input["properties"])).problems)
    .filter((problem) => problem.error === "PROPERTY_DOESNT_EXIST");
  if (problems.length > 0) throw refuseValues(problems);
}

function updateMany(store: TypeStore, inputs: Data[], options: BatchOptions): SandboxAnswer {
  refuseRepeatedIds(inputs);
  // One unknown name fails the whole batch, with or without trace ids.
  refuseUnknownProperties(store, inputs);
  const traceIds = readTraceIds(inputs);
  const batch = new BatchAnswer({ isDisordered: true });
  const missing: string[] = [];
  const found: { record: StoredRecord; input: Data; traceId: string | undefined }[] = [];
  for (const [i, input] of inputs.entries()) {
    const id = asText(input["id"]) ?? "";
    const record = store.find(id, checkIdProperty(store, asText(input["idProperty"])));
    if (record === undefined) missing.push(id);
    else found.push({ record, input, traceId: traceIds?.[i] });
  }
  const planned = found.map((item) => ({
    ...item,
    result: planUpdate(store, item.record, item.input["properties"]),
  }));
  for (const { record, result, traceId } of planned) {
    if ("failure" in result && traceId === undefined) throw toRefusal(result.failure);
    if ("failure" in result) batch.fail(result.failure, { objectWriteTraceId: [traceId], ids: [record.id] });
  }
  for (const { record, result, traceId } of planned) {
    if ("failure" in result) continue;
    updateRecord(store, record, result.plan);
    batch.add(addTrace(presentWritten(store, record, Object.keys(result.plan.values)), traceId, options));
  }
  batch.miss(store, missing);
  return batch.answer(200);
}

function refuseRepeatedIds(inputs: Data[]): void {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const input of inputs) {
    const id = asText(input["id"]) ?? "";
    if (seen.has(id)) repeated.add(id);
    seen.add(id);
  }
  if (repeated.size === 0) return;
  const ids = [...repeated];
  throw refuseInvalid(`Duplicate IDs found in batch input: [${ids.join(", ")}]. IDs must be unique`, {
    context: { ids },
  });
}

function upsertMany(
  account: Account,
  store: TypeStore,
  inputs: Data[],
  options: BatchOptions,
): SandboxAnswer {
  refuseUnknownProperties(store, inputs);
  const traceIds = readTraceIds(inputs);
  const batch = new BatchAnswer({ isDisordered: true });
  for (const [i, input] of inputs.entries()) {
    const id = asText(input["id"]) ?? "";
    const idProperty = checkIdProperty(store, asText(input["idProperty"]));
    const record = store.find(id, idProperty);
    const named = idProperty === undefined || record !== undefined ? {} : { [idProperty]: id };
    const properties = { ...named, ...asData(input["properties"]) };
    const planned =
      record === undefined
        ? planCreate(account, store, { properties })
        : planUpdate(store, record, properties);
    if ("failure" in planned) {
      if (traceIds === undefined) throw refuseWholeBatch(planned.failure);
      batch.fail(planned.failure, { objectWriteTraceId: [traceIds[i]] });
      continue;
    }
    if (record !== undefined) updateRecord(store, record, planned.plan);
    const stored = record ?? createRecord(account, store, planned.plan);
    const shown = presentWritten(store, stored, Object.keys(planned.plan.values));
    batch.add(addTrace({ ...shown, new: record === undefined }, traceIds?.[i], options));
  }
  return batch.answer(200);
}

function addTrace(shown: Data, traceId: string | undefined, options: BatchOptions): Data {
  return options.echoTraceIds === true && traceId !== undefined
    ? { ...shown, objectWriteTraceId: traceId }
    : shown;
}

/** Collects results and errors. The status stays COMPLETE even if inputs fail. */
export class BatchAnswer {
  readonly #startedAt = new Date().toISOString();
  readonly #isDisordered: boolean;
  readonly #results: Data[] = [];
  readonly #errors: Data[] = [];

  /** `isDisordered`: the results of writes are not in the order of the inputs (github.com/HubSpot/hubspot-api-nodejs, issue 190). */
  constructor({ isDisordered = false }: { isDisordered?: boolean } = {}) {
    this.#isDisordered = isDisordered;
  }

  add(result: Data): void {
    this.#results.push(result);
  }

  fail(failure: Failure, context: Data): void {
    const existing = failure.existingId === undefined ? {} : { existingId: [failure.existingId] };
    const errors =
      failure.problems.length === 0 ? {} : { errors: buildProblemMembers(failure.problems).errors };
    const { category, message } = failure;
    this.#errors.push({
      status: "error",
      category,
      message,
      context: { ...context, ...existing },
      ...errors,
    });
  }

  /** Adds the missing ids, which share one error. */
  miss(store: TypeStore, ids: string[]): void {
    if (ids.length === 0) return;
    const message = `Could not get some ${store.type.singular} objects, they may be deleted or not exist. Check that ids are valid.`;
    this.#errors.push({ status: "error", category: "OBJECT_NOT_FOUND", message, context: { ids } });
  }

  error(error: Data): void {
    this.#errors.push({ status: "error", ...error });
  }

  answer(successStatus: number): SandboxAnswer {
    const body = {
      completedAt: new Date().toISOString(),
      status: "COMPLETE",
      startedAt: this.#startedAt,
      results: this.#isDisordered ? this.#results.toReversed() : this.#results,
    };
    if (this.#errors.length === 0) return { status: successStatus, body };
    return { status: 207, body: { ...body, errors: this.#errors, numErrors: this.#errors.length } };
  }
}

/** Reads the texts of a list; other values are dropped. */
export function readTexts(input: unknown): string[] {
  return asList(input).flatMap((item) => asText(item) ?? []);
}
