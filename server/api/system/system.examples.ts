/** Calls the operation that tells about the system. */
import type { ResourceExamples } from "../../../tests/journeys/every-operation/recording.ts";

export const examples: ResourceExamples = {
  async run({ call }) {
    await call("getSystem");
  },
};
