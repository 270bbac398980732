/** The dashboard's page and files are served beside the API, and say what to do when they are not built. */
import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import Fastify, { type FastifyInstance } from "fastify";
import type { BuiltDashboard, DashboardState } from "./built-dashboard.ts";
import { renderDashboardPage, serveDashboard } from "./serve-dashboard.ts";

const built = (state: DashboardState): BuiltDashboard => ({
  state: () => state,
  settled: Promise.resolve(),
  close: async () => {},
});

async function serve(scope: TestContext): Promise<FastifyInstance> {
  const folder = await mkdtemp(join(tmpdir(), "busbar-dashboard-"));
  await mkdir(join(folder, "assets"));
  for (const [name, text] of Object.entries({
    "a-1.js": "plain",
    "a-1.js.br": "brotli",
    "a-1.js.gz": "gzip",
    "secret.js": "x",
  }))
    await writeFile(join(folder, "assets", name), text);
  const build = {
    digest: "d",
    page: '<meta nonce="__NONCE__"><link nonce="__NONCE__">',
    assets: ["a-1.js"],
    former: [],
  };
  const api = Fastify();
  serveDashboard(api, built({ kind: "ready", folder, build }));
  scope.after(async () => {
    await api.close();
    await rm(folder, { recursive: true });
  });
  return api;
}

test("each answer with the page has a nonce of its own, and a policy without unsafe-*", async (scope) => {
  const api = await serve(scope);
  const nonces = new Set<string>();
  for (const url of ["/sign-in", "/projects/p/operations/1", "/orgs/o/people", "/account", "/system"]) {
    const { statusCode, headers, body } = await api.inject({ url, headers: { accept: "text/html" } });
    assert.equal(statusCode, 200, url);
    const forgotten = await api.inject({ url, headers: { accept: "*/*" } });
    assert.equal(forgotten.statusCode, 404, url);
    const policy = String(headers["content-security-policy"]);
    const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? "";
    assert.equal(body, `<meta nonce="${nonce}"><link nonce="${nonce}">`);
    assert.match(policy, /^default-src 'none'; script-src 'self';/);
    assert.doesNotMatch(policy, /unsafe|https?:/);
    assert.equal(headers["cache-control"], "no-store");
    nonces.add(nonce);
  }
  assert.equal(nonces.size, 5);
});

test("a file is sent in the best encoding that the browser takes, and kept by it for ever", async (scope) => {
  const api = await serve(scope);
  const get = (encodings: string) =>
    api.inject({ url: "/assets/a-1.js", headers: { "accept-encoding": encodings } });
  assert.equal((await get("gzip, br")).body, "brotli");
  assert.equal((await get("gzip")).body, "gzip");
  const plain = await get("identity");
  assert.equal(plain.body, "plain");
  assert.match(String(plain.headers["cache-control"]), /immutable/);
  const headers = { "if-none-match": String(plain.headers.etag) };
  assert.equal((await api.inject({ url: "/assets/a-1.js", headers })).statusCode, 304);
});

test("only files of the build are served, wherever a name leads", async (scope) => {
  const api = await serve(scope);
  for (const name of ["secret.js", "..%2fbuild.json", "a-1.js.br", "%2e%2e"])
    assert.equal((await api.inject({ url: `/assets/${name}` })).statusCode, 404, name);
});

test("while it is built the page reloads itself; without tools it says what to do", () => {
  const building = renderDashboardPage(built({ kind: "building" }));
  assert.deepEqual([building.status, building.headers["refresh"]], [503, "1"]);
  const missing = renderDashboardPage(built({ kind: "missing" }));
  assert.equal(missing.status, 503);
  assert.match(String(missing.content), /npm run build/);
  assert.match(String(missing.content), /BUSBAR_DASHBOARD=false/);
});
