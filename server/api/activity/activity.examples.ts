/** Calls the operation that counts activity. */
import type { ResourceExamples } from "../../../tests/journeys/every-operation/recording.ts";

export const examples: ResourceExamples = {
  after: ["operations"],
  async run({ call }) {
    await call("getActivity", { query: { of: "operations", by: "object", bucketSeconds: "3600" } });
  },
};
