/** Calls the operations of topics. */
import type { ResourceExamples } from "../../../tests/journeys/every-operation/recording.ts";

export const examples: ResourceExamples = {
  after: ["destinations"],
  async run({ call, facts }) {
    facts.topicId = (await call("createTopic", { body: { name: "customers" } })).id;
    const eventTypes = ["connection.created", "connection.error"];
    const { id: topicId } = await call("createTopic", {
      title: "with its routes",
      body: { name: "old", eventTypes, destinationIds: [facts.destinationId] },
    });
    await call("updateTopic", {
      path: { topicId },
      body: { name: "older", eventTypes: ["connection.error"] },
    });
    await call("deleteTopic", { path: { topicId } });
  },
};
