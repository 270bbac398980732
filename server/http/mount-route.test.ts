/** Guards that a request without a valid credential costs no more than its headers. */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, before, describe, test } from "node:test";
import { Type } from "typebox";
import { Problem } from "../../ground/errors.ts";
import { createLog } from "../../ground/log.ts";
import { endpoint, projectEndpoint, route, type Endpoint } from "./endpoint.ts";
import { createServer } from "./server.ts";

const MB = 1024 * 1024;
const about = { tag: "Things", summary: "A thing." };
const Body = Type.Object({ text: Type.String() }, { additionalProperties: true });
const success = { status: 204, description: "Done." } as const;

let received = 0;
const take = (operationId: string): Endpoint =>
  endpoint({ ...about, operationId, body: Body, success, handle: async () => {} });

const PROJECT = { id: "01890000-0000-7000-8000-000000000001", name: "mine", orgId: "o" };
const app = createServer({
  routes: [
    route("POST /v1/things", "full", take("createThing")),
    route("POST /v1/open", "public", take("createOpenThing")),
    route(
      "POST /v1/named",
      "full",
      projectEndpoint({
        ...about,
        operationId: "createNamed",
        body: Body,
        projectInBody: true,
        success,
        handle: async () => {},
      }),
    ),
    route(
      "PUT /v1/files/{id}",
      "public",
      endpoint({
        ...about,
        operationId: "putFile",
        params: Type.Object({ id: Type.String() }),
        body: Type.Unknown(),
        rawBodyLimitBytes: MB,
        streamsBody: true,
        success,
        admit: async ({ params }) => {
          if (params.id !== "known") throw new Problem("not-found", { detail: "No such file." });
        },
        handle: async ({ body }) => {
          received = 0;
          for await (const chunk of body as AsyncIterable<Buffer>) received += chunk.length;
        },
      }),
    ),
  ],
  authorize: async ({ audience, headers, projectIdOrName }) => {
    if (audience !== "public" && headers["x-api-key"] !== "k") {
      throw new Problem("unauthenticated", { detail: "Send a key." });
    }
    if (projectIdOrName === "other") throw new Problem("forbidden", { detail: "Another project." });
    return { caller: { kind: "api-key", scopes: [] }, project: projectIdOrName ? PROJECT : undefined };
  },
  confine: async ({ inputs }) => inputs,
  log: createLog("silent"),
  surfaceHosts: {},
  docsUrl: () => "http://docs.test",
  isHttps: () => true,
  bodySilenceMs: 2_000,
});
let base = "";
before(async () => {
  base = await app.listen({ host: "127.0.0.1", port: 0 });
});
after(() => app.close());

const JSON_TYPE = { "content-type": "application/json" };
const call = (method: string, path: string, body: string | Buffer, headers: Record<string, string> = {}) =>
  fetch(base + path, {
    method,
    body,
    headers: { ...JSON_TYPE, ...headers },
    signal: AbortSignal.timeout(60_000),
  });

/** Sends a head and a few bytes of its body, and returns the answer's head. The rest of the body never comes. */
async function answerToHalf(method: string, path: string, headers: string[], bytes = "{"): Promise<string> {
  const socket = connect(Number(new URL(base).port), "127.0.0.1");
  socket.setTimeout(60_000, () => socket.destroy(new Error("no answer")));
  socket.write([`${method} ${path} HTTP/1.1`, "Host: x", ...headers, "", bytes].join("\r\n"));
  for await (const chunk of socket) return String(chunk).split("\r\n\r\n")[0] ?? "";
  return "";
}

const HALF = ["Content-Type: application/json", `Content-Length: ${10 * MB}`];

describe("a request without a credential", () => {
  test("is refused before its body arrives", async () => {
    for (const path of ["/v1/things", "/v1/named"]) {
      assert.match(await answerToHalf("POST", path, HALF), /^HTTP\/1\.1 401 /, path);
    }
    assert.match(await answerToHalf("POST", "/v1/nothing", HALF), /^HTTP\/1\.1 404 /);
  });

  test("is refused whatever its body holds", async () => {
    assert.equal((await call("POST", "/v1/things", "{")).status, 401);
    assert.equal((await call("POST", "/v1/named", "{")).status, 401);
  });

  test("reads its answer although it sends 12 MB first", async () => {
    for (const [path, status] of [
      ["/v1/things", 401],
      ["/v1/open", 413],
      ["/v1/nothing", 404],
    ] as const) {
      const response = await call("POST", path, Buffer.alloc(12 * MB, 32));
      assert.equal(response.status, status);
      assert.equal(response.headers.get("content-type"), "application/problem+json");
      await response.text();
    }
  });

  test("may send 64 KB to a public endpoint, and no more", async () => {
    const text = (bytes: number) => JSON.stringify({ text: "x".repeat(bytes) });
    assert.equal((await call("POST", "/v1/open", text(60_000))).status, 204);
    assert.equal((await call("POST", "/v1/open", text(70_000))).status, 413);
    assert.equal((await call("POST", "/v1/things", text(70_000), { "x-api-key": "k" })).status, 204);
  });
});

test("a project that the body names is checked with the body", async () => {
  const send = (project: string) =>
    call("POST", "/v1/named", JSON.stringify({ text: "", projectIdOrName: project }), { "x-api-key": "k" });
  assert.equal((await send("mine")).status, 204);
  assert.equal((await send("other")).status, 403);
});

describe("a streamed body", () => {
  test("is passed on whole", async () => {
    assert.equal((await call("PUT", "/v1/files/known", Buffer.alloc(MB))).status, 204);
    assert.equal(received, MB);
  });

  test("above its limit is refused, whether its length is announced or not", async () => {
    assert.equal((await call("PUT", "/v1/files/known", Buffer.alloc(2 * MB))).status, 413);
    const response = await fetch(`${base}/v1/files/known`, {
      method: "PUT",
      body: new Blob([Buffer.alloc(2 * MB)]).stream(),
      duplex: "half",
      signal: AbortSignal.timeout(60_000),
    } as RequestInit);
    assert.equal(response.status, 413);
  });

  test("that is not admitted is refused before it arrives", async () => {
    assert.match(await answerToHalf("PUT", "/v1/files/other", HALF), /^HTTP\/1\.1 404 /);
  });
});

test("a body that stops arriving is refused and its connection ends", async () => {
  for (const [method, path] of [
    ["POST", "/v1/things"],
    ["PUT", "/v1/files/known"],
  ] as const) {
    const head = await answerToHalf(method, path, [
      ...HALF.slice(0, 1),
      "Content-Length: 100",
      "X-Api-Key: k",
    ]);
    assert.match(head, /^HTTP\/1\.1 408 /);
    assert.match(head, /connection: close/i);
  }
});

test("every answer forbids guessing its media type, and https once used stays", async () => {
  const answers = [
    await call("POST", "/v1/open", '{"text":""}'),
    await call("POST", "/v1/nothing", "{}"),
    await call("POST", "/v1/%zz", "{}"),
  ];
  for (const { headers } of answers) {
    assert.equal(headers.get("x-content-type-options"), "nosniff");
    assert.equal(headers.get("strict-transport-security"), "max-age=31536000");
  }
});
