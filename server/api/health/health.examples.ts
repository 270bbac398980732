/** Calls the operations of health. */
import type { ResourceExamples } from "../../../tests/journeys/every-operation/recording.ts";

export const examples: ResourceExamples = {
  async run({ call }) {
    await call("getHealthz");
    await call("getReadyz");
  },
};
