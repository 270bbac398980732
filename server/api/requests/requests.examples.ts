/** Calls the operation of refused requests, after one was refused. */
import { until } from "../../../tests/harness/until.ts";
import type { ResourceExamples } from "../../../tests/journeys/every-operation/recording.ts";

export const examples: ResourceExamples = {
  async run({ call, busbar }) {
    await busbar.inProject("GET", "/operations/unknown");
    await until(async () => (await busbar.inProject("GET", "/requests")).body.results.length > 0);
    await call("listRequests", { query: { status: "4xx", pageSize: "1" } });
  },
};
