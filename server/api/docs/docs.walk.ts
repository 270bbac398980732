/** Calls the operations of this documentation. */
import assert from "node:assert/strict";
import type { ResourceWalk } from "../../../tests/journeys/every-operation/walk.ts";

export const walk: ResourceWalk = {
  async run({ call, heard, on: busbar }) {
    const start = await fetch(new URL("/", busbar.busbar.urls.base), { redirect: "manual" });
    assert.deepEqual([start.status, start.headers.get("location")], [302, "/docs"]);
    heard.push({ operationId: "getStart" });
    await call("getOpenApi");
    await call("getDocs");
    await call("getDocsReader");
    await call("getProblemTypes");
    await call("getProblemType", { path: { slug: "not-found" } });
    const guide = await fetch(new URL("/docs/guide", busbar.busbar.urls.base), { redirect: "manual" });
    assert.deepEqual([guide.status, guide.headers.get("location")], [302, "/docs/guide/getting-started"]);
    heard.push({ operationId: "getGuide" });
    await call("searchGuide", { query: { q: "backfill" } });
    await call("getGuidePage", { path: { page: "reading" } });
    await call("getGuideProviderPage", { path: { provider: "attio" } });
    await call("getLlmsText");
  },
};
