/** Calls the operations of events. */
import type { ResourceWalk } from "../../../tests/journeys/every-operation/walk.ts";

export const walk: ResourceWalk = {
  after: ["deliveries"],
  async run({ call, facts }) {
    await call("listEventTypes");
    await call("listEvents", { query: { pageSize: "2" } });
    await call("getEvent", { path: { eventId: facts.deliveryId } });
  },
};
