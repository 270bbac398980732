/** Calls the operation that finds. */
import type { ResourceWalk } from "../../../tests/journeys/every-operation/walk.ts";

export const walk: ResourceWalk = {
  after: ["events"],
  async run({ call }) {
    await call("find", { query: { q: "hook" } });
  },
};
