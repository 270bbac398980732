/** What became of a delivery that this process had. */
import type { Outcome } from "../../destination-kit/destination.ts";
import type {
  AttemptedDelivery,
  DeliveryKey,
  ReleasedDelivery,
  SkippedDelivery,
} from "../store/deliveries/deliveries.ts";
import type { OpenDestination } from "./destinations/channels.ts";

/** An attempt that was made, with what it says about its destination. */
export interface AttemptResult extends AttemptedDelivery {
  outcome: Outcome;
  destination: OpenDestination;
}

/** A delivery of a batch whose event or destination was deleted: nothing is stored of it. */
interface GoneDelivery extends DeliveryKey {
  kind: "gone";
}

export type DeliveryResult = (AttemptResult | ReleasedDelivery | SkippedDelivery | GoneDelivery) & {
  /** The batch that the delivery belongs to; set on the first attempt. */
  batchId?: string | undefined;
};
