/** Idempotency keys, each with its request and the first answer. */
import { sql, type RawBuilder } from "kysely";
import type { Json } from "../../../ground/json.ts";
import type { ControlQueries } from "../database/sides.ts";
import { toStoredJson } from "../database/stored-json.ts";
import { removeRows } from "../database/remove-rows.ts";

export interface IdempotencyRow {
  requestHash: Buffer;
  operationId: string;
  /** Operation of the first request with this key. */
  firstOperationId: string | null;
  claimedBy: number;
  /** Null: no answer yet, or one that counts only if its operation has ended with success. */
  status: number | null;
  body: unknown;
}

/** What a repeated request gets after a success. */
export interface KeyedAnswer {
  operationId: string;
  projectId: string;
  key: string;
  body: Json;
}

interface Key {
  projectId: string;
  key: string;
}

/** What a request claims a key with. */
export type KeyClaim = Key &
  Pick<IdempotencyRow, "requestHash" | "operationId" | "claimedBy"> & {
    firstOperationId: string;
    /** A key is free again after this. */
    keptHours: number;
  };

/** Claims a key for a request; returns false when another request has it. */
export async function claimIdempotencyKey(queries: ControlQueries, claim: KeyClaim): Promise<boolean> {
  const { projectId, key, requestHash, operationId, firstOperationId, claimedBy, keptHours } = claim;
  const { numAffectedRows } = await sql`/* prepare claim-idempotency-key */
    insert into idempotency_keys as kept (project_id, key, request_hash, operation_id, first_operation_id, claimed_by)
    values (${projectId}, ${key}, ${requestHash}, ${operationId}, ${firstOperationId}, ${claimedBy})
    on conflict (project_id, key) do update set request_hash = excluded.request_hash, operation_id = excluded.operation_id,
      first_operation_id = excluded.first_operation_id, claimed_by = excluded.claimed_by, status = null, body = null, create_time = now()
    where kept.create_time < now() - make_interval(secs => ${keptHours * 3_600})
  `.execute(queries);
  return (numAffectedRows ?? 0n) > 0n;
}

/**
 * The same for the rows of a CTE `asked`, as a part of the statement that counts acts.
 */
export const claimAskedKeys: RawBuilder<unknown> = sql`
  insert into idempotency_keys as kept (project_id, key, request_hash, operation_id, first_operation_id, claimed_by)
  select project_id, key, decode(request_hash, 'hex'), id, first_operation_id, claimed_by from asked where key is not null
  order by project_id, key
  on conflict (project_id, key) do update set request_hash = excluded.request_hash, operation_id = excluded.operation_id,
    first_operation_id = excluded.first_operation_id, claimed_by = excluded.claimed_by, status = null, body = null, create_time = now()
  where kept.create_time < now() - (select make_interval(secs => kept_hours * 3600) from asked where asked.id = excluded.operation_id)
  returning operation_id`;

/** Returns whether a key is used, and not free again yet. */
export async function isKeyKept(
  queries: ControlQueries,
  { projectId, key }: Key,
  keptHours: number,
): Promise<boolean> {
  const { rows } = await sql`
    select from idempotency_keys where project_id = ${projectId} and key = ${key}
      and create_time >= now() - make_interval(secs => ${keptHours * 3_600})
  `.execute(queries);
  return rows.length > 0;
}

export const findIdempotencyKey = (
  queries: ControlQueries,
  { projectId, key }: Key,
): Promise<IdempotencyRow | undefined> =>
  queries
    .selectFrom("idempotencyKeys")
    .select(["requestHash", "operationId", "firstOperationId", "claimedBy", "status", "body"])
    .where("projectId", "=", projectId)
    .where("key", "=", key)
    .executeTakeFirst();

/** Takes over the key of a request that had no effect; returns true for one caller only. */
export async function takeOverIdempotencyKey(
  queries: ControlQueries,
  { projectId, key }: Key,
  from: Pick<IdempotencyRow, "operationId" | "claimedBy">,
  to: Pick<IdempotencyRow, "operationId" | "firstOperationId" | "claimedBy">,
): Promise<boolean> {
  const { numUpdatedRows } = await queries
    .updateTable("idempotencyKeys")
    .set({ ...to, body: null, createTime: sql`now()` })
    .where("projectId", "=", projectId)
    .where("key", "=", key)
    .where("operationId", "=", from.operationId)
    .where("claimedBy", "=", from.claimedBy)
    .where("status", "is", null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Stores the answer, if the key still belongs to this operation. */
export async function storeIdempotentAnswer(
  queries: ControlQueries,
  { projectId, key }: Key,
  operationId: string,
  answer: { status: number; body: Json },
): Promise<void> {
  await queries
    .updateTable("idempotencyKeys")
    .set({ status: answer.status, body: toStoredJson(answer.body) })
    .where("projectId", "=", projectId)
    .where("key", "=", key)
    .where("operationId", "=", operationId)
    .execute();
}

/**
 * Returns the statement that stores the answers of successes, as a part of the one that ends their operations: a commit of its own
 * would cost as much again. The keys are given twice for the index, as the ids in `endOperations` are.
 */
export const storeAnswers = (answers: KeyedAnswer[]): RawBuilder<unknown> => updateAnswers(answers, 200);

/**
 * Stores answers before their operations end on the data side, and without a status: each counts only if its operation has ended with
 * success, as only the process that has the answer ends it so.
 */
export async function prepareAnswers(queries: ControlQueries, answers: KeyedAnswer[]): Promise<void> {
  await updateAnswers(answers, null).execute(queries);
}

const updateAnswers = (answers: KeyedAnswer[], status: 200 | null) => sql`
  update idempotency_keys set status = ${status === null ? sql`null` : sql`200`}, body = answers.body
  from jsonb_to_recordset(${toStoredJson(
    answers.map(({ operationId: id, projectId, key, body }) => ({ id, project_id: projectId, key, body })),
  )}::jsonb) as answers (id uuid, project_id uuid, key text, body jsonb)
  where idempotency_keys.project_id = any(${answers.map(({ projectId }) => projectId)}::uuid[])
    and idempotency_keys.key = any(${answers.map(({ key }) => key)}::text[])
    and idempotency_keys.project_id = answers.project_id and idempotency_keys.key = answers.key and operation_id = answers.id`;

/** Removes the key of a request that had no effect, if the key still belongs to this operation. */
export async function removeIdempotencyKey(
  queries: ControlQueries,
  { projectId, key }: Key,
  operationId: string,
): Promise<void> {
  await queries
    .deleteFrom("idempotencyKeys")
    .where("projectId", "=", projectId)
    .where("key", "=", key)
    .where("operationId", "=", operationId)
    .execute();
}

/** Removes up to `limit` keys that are older than `keptHours`; returns their number. */
export const removeOldIdempotencyKeys = (
  queries: ControlQueries,
  keptHours: number,
  max: number,
): Promise<number> =>
  removeRows(
    queries,
    "idempotency_keys",
    sql`create_time < now() - make_interval(secs => ${keptHours * 3_600})`,
    max,
    "ctid",
  );
