/** Calls the operations of events. */
import type { ResourceWalk } from "../../../tests/journeys/every-operation/walk.ts";

export const walk: ResourceWalk = {
  async run({ call }) {
    await call("listEventTypes");
  },
};
