/** Entity tags of answers. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Type } from "typebox";
import { createLog } from "../../ground/log.ts";
import { endpoint, route } from "./endpoint.ts";
import { createServer } from "./server.ts";

const things = ["one"];
const app = createServer({
  routes: [
    route(
      "GET /v1/things",
      "public",
      endpoint({
        operationId: "listThings",
        tag: "Things",
        summary: "List things",
        hasEntityTag: true,
        success: { status: 200, description: "The things.", schema: Type.Array(Type.String()) },
        handle: async () => things,
      }),
    ),
  ],
  authorize: async () => ({ caller: { kind: "nobody", scopes: [] } }),
  confine: async ({ inputs }) => inputs,
  log: createLog("silent"),
  surfaceHosts: {},
  docsUrl: () => "http://docs.test",
});
let url = "";
before(async () => {
  url = `${await app.listen({ host: "127.0.0.1", port: 0 })}/v1/things`;
});
after(() => app.close());

const list = (tag?: string) => fetch(url, { headers: tag === undefined ? {} : { "if-none-match": tag } });

test("an unchanged answer is 304 without a body, until it changes", async () => {
  const first = await list();
  const tag = first.headers.get("etag") ?? "";
  assert.deepEqual([first.status, first.headers.get("cache-control")], [200, "private, no-cache"]);
  for (const named of [tag, `W/${tag}`, `"other", ${tag}`, "*"]) {
    const again = await list(named);
    assert.deepEqual([again.status, await again.text(), again.headers.get("etag")], [304, "", tag], named);
  }
  things.push("two");
  const changed = await list(tag);
  assert.deepEqual([changed.status, await changed.json()], [200, ["one", "two"]]);
});
