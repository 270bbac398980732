/** Guards the server around the endpoints: what reaches a handler, what is refused before, how answers are sent. */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, before, beforeEach, describe, test } from "node:test";
import { Type } from "typebox";
import { Problem } from "../../ground/errors.ts";
import { createLog } from "../../ground/log.ts";
import { endpoint, Page, projectEndpoint, route, type Caller, type Route } from "./endpoint.ts";
import type { SentAnswer } from "./server-options.ts";
import { createServer } from "./server.ts";

const PROJECT = { id: "01890000-0000-7000-8000-000000000001", name: "default", orgId: "o" };
const caller: Caller = { kind: "api-key", scopes: ["full"] };
const Things = Type.Object({ name: Type.String() }, { additionalProperties: false });
const ok = { status: 200, description: "Done." } as const;
const about = { tag: "Things", summary: "A thing." };

/** What the handlers were called with, in order. */
const handled: unknown[] = [];
let answer: () => unknown = () => undefined;

const routes: Route[] = [
  route(
    "GET /v1/things/{id}",
    "public",
    endpoint({
      ...about,
      operationId: "getThing",
      params: Type.Object({ id: Type.String() }),
      query: Type.Object({ size: Type.Optional(Type.Integer()) }),
      success: { ...ok, schema: Type.Unknown() },
      handle: async ({ params, query }) => {
        handled.push({ params: { ...params }, query: { ...query } });
        return answer();
      },
    }),
  ),
  route(
    "POST /v1/things",
    "full",
    endpoint({
      ...about,
      operationId: "createThing",
      body: Things,
      success: { status: 201, description: "Created.", schema: Things },
      handle: async ({ body }) => {
        handled.push(body);
        return body;
      },
    }),
  ),
  route(
    "POST /v1/things:batch",
    "full",
    endpoint({
      ...about,
      operationId: "batchThings",
      body: Things,
      bodyOptional: true,
      success: { status: 204, description: "Done." },
      handle: async ({ body }) => void handled.push(body),
    }),
  ),
  route(
    "PUT /v1/files",
    "full",
    endpoint({
      ...about,
      operationId: "putFile",
      rawBodyLimitBytes: 1_000,
      body: Type.Unknown(),
      success: { status: 204, description: "Stored." },
      handle: async ({ body }) => void handled.push(body),
    }),
  ),
  route(
    "POST /v1/projects/{projectIdOrName}/things",
    "full",
    projectEndpoint({
      ...about,
      operationId: "createProjectThing",
      body: Things,
      success: { status: 204, description: "Created." },
      handle: async ({ project, body }) => void handled.push({ project, body }),
    }),
  ),
  route(
    "POST /write/v1/written",
    "full",
    endpoint({
      ...about,
      operationId: "writeOther",
      success: { status: 204, description: "Written." },
      handle: async () => undefined,
    }),
  ),
  route(
    "POST /write/v1/things",
    "full",
    endpoint({
      ...about,
      operationId: "writeThing",
      body: Things,
      success: { status: 204, description: "Written." },
      handle: async ({ body }) => void handled.push(body),
    }),
  ),
];

const sent: SentAnswer[] = [];
let caughtUps = 0;
const app = createServer({
  routes,
  authorize: async ({ audience, projectIdOrName, headers }) => {
    if (audience === "full" && headers["x-api-key"] === undefined) {
      throw new Problem("unauthenticated", { detail: "Send a key." });
    }
    return { caller, project: projectIdOrName === "default" ? PROJECT : undefined };
  },
  confine: async ({ inputs }) => inputs,
  log: createLog("silent"),
  surfaceHosts: {},
  docsUrl: () => "http://docs.test",
  support: { supportUrl: "http://help.test" },
  caughtUp: async () => void (caughtUps += 1),
  onAnswer: (one) => void sent.push(one),
});
let base = "";
before(async () => {
  base = await app.listen({ host: "127.0.0.1", port: 0 });
});
after(() => app.close());
beforeEach(() => {
  handled.length = 0;
  sent.length = 0;
  caughtUps = 0;
  answer = () => ({ name: "one" });
});

const KEY = { "x-api-key": "k" };
const JSON_KEY = { ...KEY, "content-type": "application/json" };
const call = (
  method: string,
  path: string,
  options: { headers?: Record<string, string>; body?: string | Buffer } = {},
) => fetch(base + path, { method, signal: AbortSignal.timeout(60_000), ...options });

async function assertRefused(response: Response, status: number, slug: string, says = /./): Promise<void> {
  const problem = (await response.json()) as Record<string, unknown>;
  assert.equal(response.status, status);
  assert.equal(response.headers.get("content-type"), "application/problem+json");
  assert.equal(problem["type"], `http://docs.test/problems/${slug}`);
  assert.equal(problem["requestId"], response.headers.get("x-request-id"));
  assert.equal(problem["supportUrl"], "http://help.test");
  assert.match(String(problem["detail"]), says);
  assert.deepEqual(handled, []);
}

describe("a request to an endpoint", () => {
  test("reaches its handler with checked inputs, and its answer is JSON with a request id", async () => {
    const response = await call("GET", "/v1/things/a%2Fb?size=3");
    assert.deepEqual(await response.json(), { name: "one" });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get("content-type"), "application/json");
    assert.match(response.headers.get("x-request-id") ?? "", /^[0-9a-f-]{36}$/);
    assert.deepEqual(handled, [{ params: { id: "a/b" }, query: { size: 3 } }]);
  });

  test("may end in a slash", async () => {
    assert.equal((await call("GET", "/v1/things/a/")).status, 200);
  });

  test("may be a HEAD request wherever there is a GET, and gets no body", async () => {
    const response = await call("HEAD", "/v1/things/a");
    assert.equal(response.status, 200);
    assert.equal(await response.text(), "");
    assert.deepEqual(sent, []);
  });

  test("with a verb is told apart from one without", async () => {
    const response = await call("POST", "/v1/things:batch", { headers: KEY });
    assert.equal(response.status, 204);
    assert.deepEqual(handled, [undefined]);
  });

  test("of a project knows the project", async () => {
    const body = '{"name": "x"}';
    const response = await call("POST", "/v1/projects/default/things", { headers: JSON_KEY, body });
    assert.equal(response.status, 204);
    assert.deepEqual(handled, [{ project: PROJECT, body: { name: "x" } }]);
  });

  test("that changes something is answered only after this process knows of the change", async () => {
    await call("POST", "/v1/things", { headers: JSON_KEY, body: '{"name": "x"}' });
    assert.equal(caughtUps, 1);
    await call("GET", "/v1/things/a");
    await call("POST", "/write/v1/things", { headers: JSON_KEY, body: '{"name": "x"}' });
    assert.equal(caughtUps, 1);
  });

  test("is reported as its route, with the answer that was sent", async () => {
    const response = await call("POST", "/v1/things", { headers: JSON_KEY, body: '{"name": "x"}' });
    assert.deepEqual(sent, [
      {
        requestId: response.headers.get("x-request-id"),
        method: "POST",
        path: "/v1/things",
        status: 201,
        mediaType: "application/json",
        body: '{"name":"x"}',
      },
    ]);
  });

  test("may be answered with a page of its own status, headers and media type", async () => {
    answer = () => new Page("<p>", { status: 404, headers: { "x-page": "1" } });
    const response = await call("GET", "/v1/things/a");
    assert.equal(response.status, 404);
    assert.equal(response.headers.get("content-type"), "text/html; charset=utf-8");
    assert.equal(response.headers.get("x-page"), "1");
    assert.equal(await response.text(), "<p>");
  });
});

describe("a body", () => {
  const post = (body?: string | Buffer, headers: Record<string, string> = JSON_KEY) =>
    call("POST", "/v1/things", { headers, body });

  test("of a JSON media type is accepted", async () => {
    for (const type of [
      "application/json",
      "application/json; charset=utf-8",
      "application/merge-patch+json",
    ]) {
      assert.equal((await post('{"name": "x"}', { ...KEY, "content-type": type })).status, 201, type);
    }
  });

  test("of another media type is refused", async () => {
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/jsonp"]) {
      await assertRefused(
        await post('{"name": "x"}', { ...KEY, "content-type": type }),
        415,
        "unsupported-media-type",
      );
    }
  });

  test("that is missing is refused as missing", async () => {
    await assertRefused(await post(undefined, KEY), 400, "invalid-request", /needs a JSON body/);
    await assertRefused(await post(""), 400, "invalid-request", /needs a JSON body/);
  });

  test("that is not JSON, or null, or of another shape is refused", async () => {
    await assertRefused(await post("{"), 400, "malformed-json", /not valid JSON/);
    await assertRefused(await post("null"), 400, "invalid-request");
    await assertRefused(await post('{"name": 1}'), 400, "invalid-request", /^name: must be a string$/);
    await assertRefused(
      await post('{"name": "x", "more": 1}'),
      400,
      "invalid-request",
      /^more: is not a member/,
    );
  });

  test("whose bytes are not UTF-8 is refused, not stored with replaced characters", async () => {
    const body = Buffer.from('{"name": "Andr\xe9"}', "latin1");
    await assertRefused(await post(body), 400, "malformed-json", /UTF-8/);
  });

  test("of more than 10 MB is refused", async () => {
    const body = JSON.stringify({ name: "x".repeat(10 * 1024 * 1024) });
    await assertRefused(await post(body), 413, "body-too-large");
  });

  test("that is raw keeps its bytes whatever its media type, up to the limit of its endpoint", async () => {
    const body = Buffer.from([0, 255, 10, 13]);
    for (const type of ["application/zip", "application/json", "text/plain"]) {
      const headers = { ...KEY, "content-type": type };
      assert.equal((await call("PUT", "/v1/files", { headers, body })).status, 204);
    }
    assert.deepEqual(handled, [body, body, body]);
    handled.length = 0;
    const large = { headers: { ...KEY, "content-type": "text/plain" }, body: Buffer.alloc(1_001) };
    await assertRefused(await call("PUT", "/v1/files", large), 413, "body-too-large");
  });
});

describe("a refusal", () => {
  test("of an unknown path is a 404 that names it without its query", async () => {
    await assertRefused(
      await call("GET", "/v1/nothing?secret=1"),
      404,
      "unknown-path",
      /GET \/v1\/nothing\./,
    );
    await assertRefused(await call("GET", "/"), 404, "unknown-path");
  });

  test("of another method is a 405 that lists the allowed ones, also with a trailing slash", async () => {
    for (const path of ["/v1/things", "/v1/things/", "/v1/things?a=b"]) {
      const response = await call("DELETE", path);
      assert.equal(response.headers.get("allow"), "POST", path);
      await assertRefused(response, 405, "method-not-allowed", /takes POST, not DELETE/);
    }
  });

  test("of an endpoint of the data surfaces names their addresses", async () => {
    const named =
      /It is one of the write API: call \/write\/v1\/written, or send `X-Amp-Request-Type: write`\./;
    await assertRefused(await call("POST", "/v1/written"), 404, "unknown-path", named);
  });

  test("of another method on a data surface that a header names is a 405 too", async () => {
    const response = await call("DELETE", "/v1/things", { headers: { "x-amp-request-type": "write" } });
    await assertRefused(response, 405, "method-not-allowed");
  });

  test("of a caller comes before any fault of the input", async () => {
    const response = await call("POST", "/v1/things", {
      headers: { "content-type": "application/json" },
      body: "{}",
    });
    await assertRefused(response, 401, "unauthenticated");
  });

  test("of a NUL or an invalid percent-encoding in the URL is a 400", async () => {
    await assertRefused(await call("GET", "/v1/things/a%00b"), 400, "invalid-request", /NUL/);
    await assertRefused(await call("GET", "/v1/things/%zz"), 400, "invalid-request", /percent/);
  });

  test("of a name longer than any is a 404", async () => {
    await assertRefused(await call("GET", `/v1/things/${"a".repeat(1_001)}`), 404, "unknown-path");
  });

  test("of an unexpected error is a 500 that does not reveal its text", async () => {
    answer = () => {
      throw new Error("password is hunter2");
    };
    const response = await call("GET", "/v1/things/a");
    const text = await response.text();
    assert.equal(response.status, 500);
    assert.doesNotMatch(text, /hunter2/);
  });

  test("carries the time to retry and the headers of its Problem", async () => {
    const retryAfter = new Date(Date.UTC(2026, 0, 31, 12));
    answer = () => {
      throw new Problem("too-many-requests", { detail: "Wait.", retryAfter, headers: { "x-limit": "1" } });
    };
    const response = await call("GET", "/v1/things/a");
    assert.equal(response.status, 429);
    assert.equal(response.headers.get("retry-after"), "Sat, 31 Jan 2026 12:00:00 GMT");
    assert.equal(response.headers.get("x-limit"), "1");
  });

  test("is plain JSON for clients of the write surface that exclude problem+json, and only there", async () => {
    const headers = { ...JSON_KEY, accept: "application/json, application/problem+json;q=0" };
    const write = await call("POST", "/write/v1/things", { headers, body: "{" });
    assert.equal(write.headers.get("content-type"), "application/json");
    const management = await call("POST", "/v1/things", { headers, body: "{" });
    assert.equal(management.headers.get("content-type"), "application/problem+json");
  });
});

describe("a browser of another origin", () => {
  test("may call every endpoint and read the request id", async () => {
    const preflight = await call("OPTIONS", "/v1/things", {
      headers: {
        origin: "https://app.example.com",
        "access-control-request-method": "POST",
        "access-control-request-headers": "x-api-key",
      },
    });
    assert.equal(preflight.status, 204);
    assert.equal(preflight.headers.get("access-control-allow-origin"), "*");
    assert.match(preflight.headers.get("access-control-allow-headers") ?? "", /X-Api-Key/);
    const response = await call("GET", "/v1/things/a", { headers: { origin: "https://app.example.com" } });
    assert.match(response.headers.get("access-control-expose-headers") ?? "", /X-Request-Id/);
  });

  test("gets no plain text for an OPTIONS request that is not a preflight", async () => {
    assert.equal((await call("OPTIONS", "/v1/things")).status, 204);
  });
});

describe("a connection", () => {
  test("whose request is not HTTP gets an answer and ends", async () => {
    const { port } = new URL(base);
    const socket = connect(Number(port), "127.0.0.1");
    socket.setTimeout(60_000, () => socket.destroy(new Error("no answer")));
    socket.end("NONSENSE\r\n\r\n");
    let text = "";
    for await (const chunk of socket) text += String(chunk);
    assert.match(text, /^HTTP\/1\.1 400 /);
  });
});
