/** Generates the idempotency keys by which providers carry out a create only once. */
import { hash } from "node:crypto";
import type { WritePlan } from "./plan-write.ts";

/** A record that is created. */
interface Created {
  /** Id of the operation in which the create was first sent. */
  operationId: string;
  /** Position of the record in its operation. */
  position: number;
  /** Attempts that the provider answered with a refusal. */
  refusals: number;
}

/**
 * Returns the key of a create: the same in every process and attempt, until the provider refuses it. Some providers repeat a
 * stored refusal for every request with its key. Ids of operations are random, so a key cannot be guessed.
 */
export function createKey({ operationId, position, refusals }: Created): string {
  const digest = hash("sha256", JSON.stringify(["create", operationId, position, refusals]));
  // In the form of a UUID of version 8 (RFC 9562), which every provider with keys accepts.
  const variant = ((Number.parseInt(digest.charAt(16), 16) & 0x3) | 0x8).toString(16);
  const parts = [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`,
    variant + digest.slice(17, 20),
    digest.slice(20, 32),
  ];
  return parts.join("-");
}

/** Adds to each record to create its key, computed when a connector reads it. */
export const withKeys = (plan: WritePlan, operationId: string): WritePlan =>
  plan.type === "create"
    ? {
        ...plan,
        records: plan.records.map((record, position) => ({
          ...record,
          idempotencyKey: () => createKey({ operationId, position, refusals: 0 }),
        })),
      }
    : plan;
