/** What a process must prove before it stores something of a subscription that it has claimed. */
import { sql, type RawBuilder } from "kysely";

export interface SubscriptionClaim {
  /** Of the subscription. */
  id: string;
  workerId: number;
  /**
   * Each claim has a higher one. A process that lost the database for some seconds may claim a subscription again while an
   * earlier turn of its own still tries to store older states of records.
   */
  claimNumber: number;
}

/** Returns the condition that a row of `subscriptions` is held by this claim. */
export const isHeldBy = ({ id, workerId, claimNumber }: SubscriptionClaim): RawBuilder<unknown> =>
  sql`subscriptions.id = ${id} and claimed_by = ${workerId} and claim_number = ${claimNumber}`;
