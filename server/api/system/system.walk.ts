/** Calls the operation that tells about the system. */
import type { ResourceWalk } from "../../../tests/journeys/every-operation/walk.ts";

export const walk: ResourceWalk = {
  async run({ call }) {
    await call("getSystem");
  },
};
