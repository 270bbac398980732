/** Calls the operations of the retention. */
import type { ResourceWalk } from "../../../tests/journeys/every-operation/walk.ts";

export const walk: ResourceWalk = {
  async run({ call }) {
    await call("putRetention", { body: { operations: 14, dataMessages: 1 } });
    await call("getRetention");
    await call("putRetention", { body: {} });
  },
};
