/** Calls the operations of topics. */
import type { ResourceWalk } from "../../../tests/journeys/every-operation/walk.ts";

export const walk: ResourceWalk = {
  async run({ call, facts }) {
    facts.topicId = (await call("createTopic", { body: { name: "customers" } })).id;
    const { id: topicId } = await call("createTopic", { body: { name: "old" } });
    await call("listTopics");
    await call("getTopic", { path: { topicId } });
    await call("updateTopic", { path: { topicId }, body: { name: "older" } });
    await call("deleteTopic", { path: { topicId } });
  },
};
