/** What became of a delivery that this process had. */
import type { Outcome } from "../../destination-kit/destination.ts";
import type { AttemptedDelivery, ReleasedDelivery, SkippedDelivery } from "../store/deliveries/deliveries.ts";
import type { OpenDestination } from "./destinations/channels.ts";

/** An attempt that was made, with what it says about its destination. */
export interface AttemptResult extends AttemptedDelivery {
  outcome: Outcome;
  destination: OpenDestination;
}

export type DeliveryResult = (AttemptResult | ReleasedDelivery | SkippedDelivery) & {
  /** The batch that the delivery belongs to; set on the first attempt. */
  batchId?: string | undefined;
};
