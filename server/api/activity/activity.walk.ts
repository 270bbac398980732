/** Calls the operation that counts activity. */
import type { ResourceWalk } from "../../../tests/journeys/every-operation/walk.ts";

export const walk: ResourceWalk = {
  after: ["operations"],
  async run({ call }) {
    await call("getActivity", { query: { of: "operations", by: "object", bucketSeconds: "3600" } });
  },
};
