/** Calls the operations of this documentation. */
import assert from "node:assert/strict";
import type { ResourceWalk } from "../../../tests/journeys/every-operation/walk.ts";

export const walk: ResourceWalk = {
  async run({ call, heard, on }) {
    const start = await fetch(new URL("/", on.busbar.urls.base), { redirect: "manual" });
    assert.deepEqual([start.status, start.headers.get("location")], [302, "/docs"]);
    heard.push({ operationId: "getStart" });
    await call("getOpenApi");
    await call("getDocs");
    await call("getDocsReader");
    await call("getProblemTypes");
    await call("getProblemType", { path: { slug: "not-found" } });
  },
};
