/** Calls the operations of groups and consumers. */
import type { ResourceExamples } from "../../../tests/journeys/every-operation/recording.ts";

export const examples: ResourceExamples = {
  async run({ call }) {
    await call("createGroup", { body: { groupRef: "globex", groupName: "Globex" } });
    await call("listGroups", { query: { text: "globex" } });
    await call("createConsumer", { body: { consumerRef: "homer", consumerName: "Homer" } });
    await call("deleteGroup", { path: { groupRef: "globex" } });
  },
};
