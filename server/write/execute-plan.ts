/** Carries out a plan at the provider: reads what must be read, writes, and returns one outcome per record. */
import type { Connector, RecordOutcome, WriteResult } from "../../connector-kit/connector.ts";
import { ProviderError, readBeforeWrite } from "../../connector-kit/calls/provider-error.ts";
import type { Account, ProviderFetch } from "../../connector-kit/calls/provider-fetch.ts";
import { elapsedMs } from "../../ground/clock.ts";
import { withGateTime } from "../calls/gates/judge-answer.ts";
import { callProvider, type CallServices, type ProviderCall } from "../operations/call-provider.ts";
import type { LogEntry } from "../store/operations/operations.ts";
import { deleteSurely } from "./delete-surely.ts";
import { buildFailureEntry, buildOutcomeEntries, buildSettledEntries } from "./operation-log.ts";
import type { MetadataMemory } from "../operations/metadata-memory.ts";
import type { WritePlan } from "./plan-write.ts";
import { nameFields } from "./naming-fields.ts";
import { isNothingLeft, listNeededReads, settlePlan } from "./settle-plan.ts";
import { toRecordWrite } from "./to-record-write.ts";
import { collectOwnWrites, listOwnKeys } from "../operations/own-changes.ts";
import type { Database } from "../store/database/database.ts";
import { ignoreDatabaseOutage } from "../store/database/database-outage.ts";
import { insertOwnWrites } from "../store/operations/own-writes.ts";
import { findFieldsConnector } from "../../connector-kit/fields.ts";
import { findClosest } from "../../ground/closest.ts";
import { endSentence } from "../../ground/sentences.ts";

export interface ExecuteServices extends CallServices {
  metadata: MetadataMemory;
}

export interface Execution extends WriteResult {
  /** The plan as it was carried out, `ifEmpty` settled. */
  plan: WritePlan;
  /** Why no record was written, where one error stopped all of them. */
  failure?: ProviderError;
}

export interface ExecuteOptions {
  projectId: string;
  connectionId: string;
  operationId: string;
  log: LogEntry[];
  /** Whether the caller wants the records as they are after the write. */
  readBack: boolean;
  /**
   * Called when everything is ready, immediately before the first request, with the time for which the provider knows the keys of
   * the records.
   */
  beforeSend?(repeatableMs: number | undefined): Promise<void>;
  /** Returns whether a refusal may suggest the field, by the provider's name; any unless given. */
  mayName?: ((field: string) => boolean) | undefined;
}

/** Executes and logs. Never throws a `ProviderError`: it becomes the outcome of every record. */
export async function executePlan(
  deps: ExecuteServices,
  options: ExecuteOptions,
  plan: WritePlan,
): Promise<Execution> {
  const { connectionId, log } = options;
  const execution = await send(deps, options, plan).catch((error: unknown) => failAll(plan, error));
  // After the call, which closes the gate where it meets a rate limit.
  const gate = deps.gates.closedUntil(connectionId);
  const outcomes = nameFields(plan.records, execution.outcomes).map((outcome) =>
    outcome.success ? outcome : { ...outcome, error: withGateTime(outcome.error, gate) },
  );
  const { failure, warnings } = execution;
  log.push(...buildSettledEntries(plan.records, execution.plan.records, plan.batch));
  if (failure) log.push(buildFailureEntry(plan.batch ? "batch" : "record", failure));
  else log.push(...buildOutcomeEntries(outcomes, warnings, plan.batch));
  return { ...execution, outcomes };
}

const send = (
  deps: ExecuteServices,
  { beforeSend, readBack, operationId, mayName, ...target }: ExecuteOptions,
  plan: WritePlan,
): Promise<Execution> =>
  callProvider(deps, { ...target, outcomesIn: ({ outcomes }: Execution) => outcomes }, async (call) => {
    const { connection, connector, fetch } = call;
    const { account, provider } = connection;
    if (!connector?.write) {
      const message = `Busbar can no longer write to ${provider.name}.`;
      throw new ProviderError({ kind: "forbidden", message });
    }
    await beforeSend?.(connector.write.repeatableMs?.(plan));
    const startedMs = elapsedMs();
    const timed = timeFetch(fetch);
    const done = await applyPlan(plan, connector.write, timed.fetch, { readBack, account, operationId });
    const times = { tookMs: elapsedMs() - startedMs, answerTime: timed.answerTime };
    await rememberWrites(deps, { connector, connectionId: connection.id, operationId, ...times }, done);
    return { ...done, outcomes: await suggestFields(deps, call, done.plan, done.outcomes, mayName) };
  });

function failAll(plan: WritePlan, error: unknown): Execution {
  if (!(error instanceof ProviderError)) throw error;
  const outcomes = plan.records.map((): RecordOutcome => ({ success: false, error }));
  return { plan, outcomes, warnings: [], rawResponse: error.rawResponse, failure: error };
}

/** Carries the plan out at the connector. Never throws a `ProviderError`: it becomes the outcome of every record. */
export async function applyPlan(
  plan: WritePlan,
  connector: NonNullable<Connector["write"]>,
  fetch: ProviderFetch,
  options: { readBack: boolean; account?: Account; operationId?: string },
): Promise<Execution> {
  let settled = plan;
  let refusals: (ProviderError | undefined)[] = [];
  try {
    const reads = listNeededReads(plan);
    if (reads) {
      const { objectName } = plan;
      const current = await readBeforeWrite(
        connector.readFields({ objectName, ...reads, account: options.account }, fetch),
      );
      ({ plan: settled, refusals } = settlePlan(plan, current, (value) => connector.isEmpty(value)));
    }
    const { type } = settled;
    const done = settled.records.map((record, index): RecordOutcome | undefined => {
      const error = refusals[index];
      if (error) return { success: false, error };
      return isNothingLeft(type, record) ? { success: true, recordId: record.id } : undefined;
    });
    const rest = { ...settled, records: settled.records.filter((_, index) => !done[index]) };
    if (rest.records.length === 0 && done.length > 0) {
      return { plan: settled, outcomes: done.flatMap((outcome) => outcome ?? []), warnings: [] };
    }
    const order = toRecordWrite(rest, options);
    const { outcomes, ...result } = await (order.type === "delete"
      ? deleteSurely(connector, order, fetch)
      : connector.write(order, fetch));
    const sent = outcomes.values();
    return {
      plan: settled,
      ...result,
      outcomes: done.flatMap((outcome) => outcome ?? sent.next().value ?? []),
    };
  } catch (error) {
    return failAll(settled, error);
  }
}

interface Sent {
  connector: Connector;
  connectionId: string;
  operationId: string;
  tookMs: number;
  answerTime(): Date | undefined;
}

/** Stores own writes, whose changes need not be reported. While the database is down nothing is stored, and the changes are delivered. */
async function rememberWrites(
  { database }: { database: Database },
  { connector, connectionId, answerTime, ...sent }: Sent,
  { plan, outcomes }: { plan: WritePlan; outcomes: RecordOutcome[] },
): Promise<void> {
  // The other providers neither report nor show changes of which the cause could be reported.
  if (!connector.subscribe) return;
  const { objectKey, recordKey } = listOwnKeys(connector, plan.objectName);
  const { type, records } = plan;
  const collect = () =>
    collectOwnWrites({ ...sent, answerTime: answerTime(), type, records, outcomes, recordKey });
  await ignoreDatabaseOutage(() => insertOwnWrites(database.data, { connectionId, objectKey }, collect));
}

/** Sends as `fetch` does, and keeps the time of the newest answer by the provider's clock. */
function timeFetch(fetch: ProviderFetch): { fetch: ProviderFetch; answerTime(): Date | undefined } {
  let time: Date | undefined;
  return {
    answerTime: () => time,
    fetch: async (request) => {
      const answer = await fetch(request);
      const reported = new Date(answer.headers.date ?? "");
      if (!Number.isNaN(reported.getTime())) time = reported;
      return answer;
    },
  };
}

/**
 * Adds to refusals the field that was probably meant. Describes the object only if a refusal names a field of its record; what cannot
 * be described is left as the provider said it. Only fields that may be named are suggested.
 */
async function suggestFields(
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
      const message = `${endSentence(outcome.error.message)} ${remedy}`;
      return { ...outcome, error: outcome.error.with({ message }) };
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
