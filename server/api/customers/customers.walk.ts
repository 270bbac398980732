/** Calls the operations of groups and consumers. */
import type { ResourceWalk } from "../../../tests/journeys/every-operation/walk.ts";

export const walk: ResourceWalk = {
  async run({ call }) {
    await call("createGroup", { body: { groupRef: "globex", groupName: "Globex" } });
    await call("listGroups", { query: { text: "globex" } });
    await call("getGroup", { path: { groupRef: "globex" } });
    await call("createConsumer", { body: { consumerRef: "homer", consumerName: "Homer" } });
    await call("deleteGroup", { path: { groupRef: "globex" } });
  },
};
