/** Calls the operations of API keys. */
import type { ResourceExamples } from "../../../tests/journeys/every-operation/recording.ts";

export const examples: ResourceExamples = {
  async run({ call }) {
    const { id: apiKey } = await call("createApiKey", { body: { label: "web", scopes: ["frontend"] } });
    await call("listApiKeys", { query: { active: "true" } });
    await call("getApiKey", { path: { apiKey } });
    const rateLimit = { requestsPerSecond: 50, burst: 200 };
    const change = { updateMask: ["label", "rateLimit"], apiKey: { label: "browser", rateLimit } };
    await call("updateApiKey", { path: { apiKey }, body: change });
    await call("deleteApiKey", { path: { apiKey } });
  },
};
