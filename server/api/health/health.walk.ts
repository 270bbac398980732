/** Calls the operations of health. */
import type { ResourceWalk } from "../../../tests/journeys/every-operation/walk.ts";

export const walk: ResourceWalk = {
  async run({ call }) {
    await call("getHealthz");
    await call("getReadyz");
  },
};
