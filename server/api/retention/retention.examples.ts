/** Calls the operations of the retention. */
import type { ResourceExamples } from "../../../tests/journeys/every-operation/recording.ts";

export const examples: ResourceExamples = {
  async run({ call }) {
    await call("putRetention", { body: { operations: 14, dataMessages: 1 } });
    await call("getRetention");
    await call("putRetention", { body: {} });
  },
};
