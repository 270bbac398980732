/** Guards that every request leaves its line in the log, however it ended. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Type } from "typebox";
import { until } from "../../tests/harness/until.ts";
import { createLog } from "../../ground/log.ts";
import { endpoint, route } from "./endpoint.ts";
import { createServer } from "./server.ts";

test("a request is logged once with its status: 499 if its client left before the answer, 444 if the server cut it off", async (t) => {
  const logged: Record<string, unknown>[] = [];
  const late = Promise.withResolvers<void>();
  let begun = 0;
  const getLate = endpoint({
    operationId: "getLate",
    tag: "Things",
    summary: "A late answer.",
    success: { status: 200, description: "Done.", schema: Type.Unknown() },
    async handle() {
      begun += 1;
      await late.promise;
      return {};
    },
  });
  const app = createServer({
    routes: [route("GET /v1/late", "public", getLate)],
    authorize: async () => ({ caller: { kind: "nobody", scopes: [] } }),
    confine: async ({ inputs }) => inputs,
    log: createLog("info", { write: (line) => void logged.push(JSON.parse(line)) }),
    surfaceHosts: {},
    docsUrl: () => "http://docs.test",
  });
  t.after(() => app.close());
  const url = `${await app.listen({ host: "127.0.0.1", port: 0 })}/v1/late`;
  const left = new AbortController();
  const leaving = fetch(url, { signal: left.signal });
  await until(() => begun === 1);
  left.abort();
  await assert.rejects(leaving);
  await until(() => logged.length === 1);
  const cut = fetch(url);
  await until(() => begun === 2);
  app.server.closeAllConnections();
  await assert.rejects(cut);
  await until(() => logged.length === 2);
  late.resolve();
  await (await fetch(url)).text();
  await until(() => logged.length > 2);
  assert.deepEqual(
    logged.map(({ msg, route: path, status }) => [msg, path, status]),
    [
      ["request", "/v1/late", 499],
      ["request", "/v1/late", 444],
      ["request", "/v1/late", 200],
    ],
  );
});
