/** Calls the operations of this documentation. */
import assert from "node:assert/strict";
import type { ResourceExamples } from "../../../tests/journeys/every-operation/recording.ts";

export const examples: ResourceExamples = {
  async run({ call, calls, busbar }) {
    const start = await fetch(new URL("/", busbar.server.urls.base), { redirect: "manual" });
    assert.deepEqual([start.status, start.headers.get("location")], [302, "/docs"]);
    calls.push({ operationId: "getStart" });
    await call("getProblemType", { path: { slug: "not-found" } });
    const guide = await fetch(new URL("/docs/guide", busbar.server.urls.base), { redirect: "manual" });
    assert.deepEqual([guide.status, guide.headers.get("location")], [302, "/docs/guide/getting-started"]);
    calls.push({ operationId: "getGuide" });
    await call("searchGuide", { query: { q: "backfill" } });
    await call("getGuidePage", { path: { page: "reading" } });
    await call("getGuideProviderPage", { path: { provider: "attio" } });
  },
};
