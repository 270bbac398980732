/** Idempotency keys, each with its request and the first answer. */
import { sql } from "kysely";
import type { Json } from "../../../ground/json.ts";
import type { ControlQueries } from "../database/sides.ts";
import { toStoredJson } from "../database/stored-json.ts";

export interface IdempotencyRow {
  requestHash: Buffer;
  operationId: string;
  /** Operation of the first request with this key. */
  firstOperationId: string | null;
  claimedBy: number;
  status: number | null;
  body: unknown;
}

interface Key {
  projectId: string;
  key: string;
}

/** Claims a key for a request; returns false when another request has it. A key is free again after `keptHours`. */
export async function claimIdempotencyKey(
  queries: ControlQueries,
  claim: Key & Pick<IdempotencyRow, "requestHash" | "operationId" | "firstOperationId" | "claimedBy">,
  keptHours: number,
): Promise<boolean> {
  const { projectId, key, requestHash, operationId, firstOperationId, claimedBy } = claim;
  const { numAffectedRows } = await sql`/* prepare claim-idempotency-key */
    insert into idempotency_keys as kept (project_id, key, request_hash, operation_id, first_operation_id, claimed_by)
    values (${projectId}, ${key}, ${requestHash}, ${operationId}, ${firstOperationId}, ${claimedBy})
    on conflict (project_id, key) do update set request_hash = excluded.request_hash, operation_id = excluded.operation_id,
      first_operation_id = excluded.first_operation_id, claimed_by = excluded.claimed_by, status = null, body = null, create_time = now()
    where kept.create_time < now() - make_interval(secs => ${keptHours * 3_600})
  `.execute(queries);
  return (numAffectedRows ?? 0n) > 0n;
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
    .set({ ...to, createTime: sql`now()` })
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
export async function removeOldIdempotencyKeys(
  queries: ControlQueries,
  keptHours: number,
  limit: number,
): Promise<number> {
  const { rows } = await sql<{ key: string }>`
    delete from idempotency_keys where ctid in (
      select ctid from idempotency_keys where create_time < now() - make_interval(secs => ${keptHours * 3_600}) limit ${limit})
    returning key
  `.execute(queries);
  return rows.length;
}
