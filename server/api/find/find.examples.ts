/** Calls the operation that finds. */
import type { ResourceExamples } from "../../../tests/journeys/every-operation/recording.ts";

export const examples: ResourceExamples = {
  after: ["events"],
  async run({ call }) {
    await call("find", { query: { q: "hook" } });
  },
};
