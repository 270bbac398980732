/** `busbar mock`: answers as recorded, and refuses what the API refuses. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { startMock } from "./mock-command.ts";

const EXAMPLES = join(import.meta.dirname, "../api/docs/examples.json");

let mock: Awaited<ReturnType<typeof startMock>>;
before(async () => void (mock = await startMock({ port: 0 })));
after(() => mock.close());

async function call(line: string, body?: unknown, headers: Record<string, string> = { "x-api-key": "any" }) {
  const [method = "", path = ""] = line.split(" ");
  const sent = body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) };
  const response = await fetch(`${mock.url}${path}`, { method, headers, ...sent });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : undefined };
}

const WRITE = "POST /write/v1/projects/p/integrations/crm/objects/contacts";

test("every recorded request gets the answer that was recorded with it", async () => {
  const { writeRecords } = JSON.parse(await readFile(EXAMPLES, "utf8"));
  for (const { query = {}, request, response } of writeRecords)
    assert.deepEqual((await call(`${WRITE}?${new URLSearchParams(query)}`, request)).body, response);
  assert.equal((await call("DELETE /v1/projects/p/topics/t")).status, 204);
  assert.equal((await call("GET /healthz", undefined, {})).status, 200);
});

test("a body, a path and a call without a credential are refused as the API does", async () => {
  const wrong = await call(WRITE, { type: "create", record: {} });
  assert.deepEqual([wrong.status, wrong.body.issues[0].name], [400, "groupRef"]);
  assert.match(wrong.headers.get("content-type") ?? "", /^application\/problem\+json/);
  assert.match((await call(WRITE, "{")).body.type, /malformed-json$/);
  assert.equal((await call("GET /v1/nothing")).status, 404);
  assert.equal((await call("GET /v1/projects", undefined, {})).status, 401);
  assert.equal((await call("GET /v1/projects", undefined, { authorization: "Bearer t" })).status, 200);
});

test("the header Prefer chooses another answer", async () => {
  const body = { groupRef: "other", type: "create", record: {} };
  const preferring = (prefer: string) => call(WRITE, body, { "x-api-key": "k", prefer });
  assert.equal((await preferring('example="A batch"')).body.results.length, 2);
  assert.match((await preferring("example=None")).body.detail, /it has One record, /);
  const limited = await preferring("code=429");
  assert.deepEqual([limited.status, limited.body.retryable], [429, true]);
});

test("a page of another address may call it", async () => {
  const origin = "http://localhost:5173";
  const asked = await call("OPTIONS /v1/projects", undefined, {
    origin,
    "access-control-request-method": "GET",
    "access-control-request-headers": "x-api-key",
  });
  assert.equal(asked.status, 204);
  assert.equal(asked.headers.get("access-control-allow-headers"), "x-api-key");
  const answered = await call("GET /v1/projects", undefined, { "x-api-key": "k", origin });
  assert.equal(answered.headers.get("access-control-allow-origin"), origin);
});
