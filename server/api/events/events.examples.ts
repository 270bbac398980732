/** Calls the operations of events. */
import type { ResourceExamples } from "../../../tests/journeys/every-operation/recording.ts";

export const examples: ResourceExamples = {
  after: ["deliveries"],
  async run({ call, facts }) {
    await call("listEvents", { query: { pageSize: "2" } });
    await call("getEvent", { path: { eventId: facts.deliveryId } });
  },
};
