/** Calls the operations of API keys. */
import type { ResourceWalk } from "../../../tests/journeys/every-operation/walk.ts";

export const walk: ResourceWalk = {
  async run({ call }) {
    const { id: apiKey } = await call("createApiKey", { body: { label: "web", scopes: ["frontend"] } });
    await call("listApiKeys", { query: { active: "true" } });
    await call("getApiKey", { path: { apiKey } });
    const change = { updateMask: ["label"], apiKey: { label: "browser" } };
    await call("updateApiKey", { path: { apiKey }, body: change });
    await call("deleteApiKey", { path: { apiKey } });
  },
};
