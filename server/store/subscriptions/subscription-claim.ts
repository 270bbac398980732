/** Proves a process's claim on a subscription before it stores something about it. */
import { sql, type RawBuilder } from "kysely";

export interface SubscriptionClaim {
  /** Id of the subscription. */
  id: string;
  workerId: number;
  /**
   * Number of the claim; each claim has a higher one. A process that lost the database for some seconds may claim a
   * subscription again while an earlier claim of its own still tries to store older states of records.
   */
  claimNumber: number;
}

/** Builds the condition that a row of `subscriptions` is held by this claim. */
export const isHeldBy = ({ id, workerId, claimNumber }: SubscriptionClaim): RawBuilder<unknown> =>
  sql`subscriptions.id = ${id} and claimed_by = ${workerId} and claim_number = ${claimNumber}`;
