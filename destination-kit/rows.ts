/** What warehouses have in common: a message becomes a row, and many rows are inserted together. */
import { Type } from "typebox";
import { shorten } from "../ground/storable-text.ts";
import type { BatchLimits, Channel, Message, Outcome } from "./destination.ts";

/** Settings that all of them have. */
export const BATCH_CONFIG = {
  batchSize: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000,
      description: "Rows that are inserted together at most; 1000 without it.",
    }),
  ),
  maxWaitSecs: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 300,
      description: "How long a row waits for others at most; 30 without it.",
    }),
  ),
};

interface BatchConfig {
  batchSize?: number;
  maxWaitSecs?: number;
}

/** Returns the limits that the settings ask for; `bytes` is what one request of the service takes. */
export const toBatchLimits = (
  { batchSize = 1_000, maxWaitSecs = 30 }: BatchConfig,
  bytes: number,
): BatchLimits => ({
  messages: batchSize,
  bytes,
  waitMs: maxWaitSecs * 1_000,
});

/** Opens a channel of which `insert` inserts a row for each message, and returns their outcomes in the same order. */
export const openRowChannel = (
  insert: (messages: Message[]) => Promise<Outcome[]>,
  close = async (): Promise<void> => {},
): Channel => ({
  async deliver(message) {
    const [outcome = { kind: "failed" as const, error: "nothing was inserted" }] = await insert([message]);
    return outcome;
  },
  deliverAll: insert,
  close,
});

/** The answer to a batch is stored with each of its messages. */
const SHARED_ANSWER = 500;

/** Gives all messages or rows the outcome of the request that they shared. */
export function repeatOutcome(items: readonly unknown[], outcome: Outcome): Outcome[] {
  const { answer } = outcome;
  const isLong = items.length > 1 && answer !== undefined;
  const shared = isLong ? { ...outcome, answer: shorten(answer, SHARED_ANSWER) } : outcome;
  return items.map(() => shared);
}

/** A name as warehouses take it without quotes; it is put into statements as it is. */
export const SQL_NAME = "^[A-Za-z_][A-Za-z0-9_$]{0,126}$";
