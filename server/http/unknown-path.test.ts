/** What a URL without an endpoint answers, and what it costs. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FastifyRequest } from "fastify";
import { processorMs } from "../../tests/harness/processor-ms.ts";
import { endpoint, route } from "./endpoint.ts";
import { refuseUnknownPath } from "./unknown-path.ts";

const handler = endpoint({
  operationId: "getThing",
  tag: "Things",
  summary: "A thing.",
  success: { status: 204, description: "Done." },
  handle: async () => undefined,
});
const routes = Array.from({ length: 200 }, (_, index) =>
  route(`GET /v1/things/{id}/parts${index}/{part}:check`, "public", handler),
);
const reported = (method: string, url: string) =>
  refuseUnknownPath({ method, url, originalUrl: url, headers: {} } as FastifyRequest, routes);

test("another method of a known path is reported, and a path that is none", () => {
  assert.match(reported("POST", "/v1/things/1/parts7/2/:check").message, /takes GET, not POST/);
  assert.equal(reported("GET", "/v1/things/1/parts7/:check").slug, "unknown-path");
  assert.equal(reported("GET", "/v1/things/1/parts7//:check").slug, "unknown-path");
});

test("a path with one misspelt step is answered with the one that was meant, and another path is not", () => {
  assert.match(
    reported("GET", "/v1/thinks/1/parts7/2/:check").message,
    /Did you mean \/v1\/things\/1\/parts7\/2\/:check\?/,
  );
  assert.match(
    reported("GET", "/v1/things/1/parts7/2/:chekc").message,
    /Did you mean \/v1\/things\/1\/parts7\/2\/:check\?/,
  );
  assert.doesNotMatch(reported("GET", "/v1/thinks/1/things/2/:check").message, /Did you mean/);
});

test("a path of thousands of steps, which anybody can send, costs no more than reading it", async () => {
  const long = `/v1/${"a/".repeat(7_900)}`;
  reported("GET", long);
  const usedMs = await processorMs(() => {
    for (let times = 0; times < 20; times += 1) assert.equal(reported("GET", long).slug, "unknown-path");
  });
  assert.ok(usedMs < 100, `${usedMs} ms`);
});
