/** Resolving a call's target on a real database, and how soon a change takes effect. */
import assert from "node:assert/strict";
import { after, before, describe, it, mock, type TestContext } from "node:test";
import { supports } from "../../connector-kit/provider/define-provider.ts";
import { createTestDatabase, type TestDatabase } from "../../tests/harness/database.ts";
import { sealCredentials } from "../credentials/stored/credential-envelope.ts";
import { newApiKey } from "../../ground/ids.ts";
import { insertApiKey } from "../store/access/api-keys.ts";
import { removeConnection, updateConnection } from "../store/connections/connections.ts";
import { upsertGroup } from "../store/access/customers.ts";
import { insertConfig, removeInstallation } from "../store/integrations/installations.ts";
import { findIntegration } from "../store/integrations/integrations.ts";
import {
  acme,
  callProxy,
  listLines,
  startRealProxy,
  type RealProxy,
} from "../../tests/harness/proxy/real-proxy.ts";
import { readStatus } from "../../tests/harness/proxy/refused.ts";
import {
  CONFIG,
  deploy,
  GROUP_REF,
  install,
  INTEGRATION,
  MANIFEST,
  stockDatabase,
  testSealer,
  type Stock,
  type Stocking,
} from "../../tests/harness/proxy/stock-database.ts";
import { until } from "../../tests/harness/until.ts";
import { findHeader, startUpstream, type RawUpstream } from "../../tests/harness/proxy/wire.ts";

interface World {
  upstream: RawUpstream;
  proxy: RealProxy & { port: number };
  stock: Stock;
  /** The status of one call, and whether the answer was the proxy's own. */
  status(more?: Record<string, string | undefined>): Promise<number>;
}

let database: TestDatabase;
let projects = 0;
before(async () => {
  database = await createTestDatabase();
});
after(() => database.drop());

/** A provider, a proxy of its own and a project of its own. */
async function openWorld(
  scope: { after(callback: () => Promise<void>): void },
  options: { stocking?: Stocking; provider?: (origin: string) => object } = {},
): Promise<World> {
  const upstream = await startUpstream(() => "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  scope.after(async () => upstream.close());
  const { connectionString } = database;
  const provider = (options.provider ?? acme)(upstream.origin);
  const proxy = await startRealProxy({ connectionString, provider });
  scope.after(() => proxy.close());
  projects += 1;
  const stocking = { projectName: `project-${projects}`, ...options.stocking };
  const stock = await stockDatabase(proxy.database.queries, stocking);
  return {
    upstream,
    proxy,
    stock,
    async status(more) {
      const answer = await callProxy(proxy.port, listLines(stock, more));
      const status = readStatus(answer);
      assert.equal(findHeader(answer?.lines ?? [], "x-amp-error"), status === 200 ? undefined : "true");
      return status;
    },
  };
}

describe("a call", () => {
  let world: World;
  let other: Stock;
  const closers: (() => Promise<void>)[] = [];
  before(async () => {
    world = await openWorld({ after: (close) => void closers.push(close) });
    other = await stockDatabase(world.proxy.database.queries, { projectName: "other" });
  });
  after(async () => {
    for (const close of closers) await close();
  });

  async function insertKey(
    limits: Pick<Parameters<typeof insertApiKey>[1], "allowedAddresses" | "requestsPerSecond" | "burst">,
  ): Promise<string> {
    const key = newApiKey();
    const { projectId } = world.stock;
    await insertApiKey(world.proxy.database.queries, {
      key,
      projectId,
      label: "limited",
      scopes: ["proxy"],
      ...limits,
    });
    return key;
  }

  const NAMED = {
    "x-amp-installation-id": undefined,
    "x-amp-integration-name": INTEGRATION,
    "x-amp-group-ref": GROUP_REF,
  };

  it("is served by installation id, and by integration and group", async () => {
    assert.equal(await world.status(), 200);
    assert.equal(await world.status(NAMED), 200);
    const [first, second] = world.upstream.received;
    assert.deepEqual(first?.lines.slice(2), ["X-Acme-Key: provider-key"]);
    assert.deepEqual(second, first);
  });

  it("is served by the installation id when both are given", async () => {
    assert.equal(
      await world.status({
        ...NAMED,
        "x-amp-installation-id": world.stock.installationId,
        "x-amp-group-ref": "nobody",
      }),
      200,
    );
  });

  it("accepts ids in upper and lower case", async () => {
    assert.equal(
      await world.status({
        "x-amp-project-id": world.stock.projectId.toUpperCase(),
        "x-amp-installation-id": world.stock.installationId.toUpperCase(),
      }),
      200,
    );
  });

  const nowhere = "01890000-0000-7000-8000-000000000000";
  const refusals: [string, number, () => Record<string, string | undefined>][] = [
    ["without a key", 401, () => ({ "x-api-key": undefined })],
    [
      "with a bearer token instead of a key",
      401,
      () => ({ "x-api-key": undefined, authorization: "Bearer jwt" }),
    ],
    ["with an unknown key", 401, () => ({ "x-api-key": newApiKey() })],
    ["with a browser's key", 403, () => ({ "x-api-key": world.stock.frontendKey })],
    ["with the key of another project", 403, () => ({ "x-api-key": other.apiKey })],
    ["for an unknown project", 403, () => ({ "x-amp-project-id": nowhere })],
    ["for a project by name", 400, () => ({ "x-amp-project-id": "project-1" })],
    ["without a project", 400, () => ({ "x-amp-project-id": undefined })],
    ["without a version", 400, () => ({ "x-amp-proxy-version": undefined })],
    ["of another version", 400, () => ({ "x-amp-proxy-version": "2" })],
    ["with a header twice", 400, () => ({ "X-Amp-Proxy-Version": "1" })],
    ["without an installation", 400, () => ({ "x-amp-installation-id": undefined })],
    ["with an integration but no group", 400, () => ({ ...NAMED, "x-amp-group-ref": undefined })],
    ["for an unknown installation", 404, () => ({ "x-amp-installation-id": nowhere })],
    ["for something that is no id", 404, () => ({ "x-amp-installation-id": "x" })],
    [
      "for the installation of another project",
      404,
      () => ({ "x-amp-installation-id": other.installationId }),
    ],
    ["for an unknown group", 404, () => ({ ...NAMED, "x-amp-group-ref": "nobody" })],
    ["for an unknown integration", 404, () => ({ ...NAMED, "x-amp-integration-name": "nothing" })],
  ];
  for (const [what, status, headers] of refusals) {
    it(`${what} is refused with ${status}`, async () => {
      const before = world.upstream.received.length;
      assert.equal(await world.status(headers()), status);
      assert.equal(world.upstream.received.length, before);
    });
  }

  it("counts for the rate limit of its key, whether its target was known or not", async () => {
    const limits = { requestsPerSecond: 0.01, burst: 3 };
    const limited = { "x-api-key": await insertKey(limits) };
    for (const status of [200, 200, 200, 429, 429]) assert.equal(await world.status(limited), status);
    assert.equal(await world.status(), 200);
  });

  it("is refused with a key that is not allowed from its address", async () => {
    const before = world.upstream.received.length;
    const elsewhere = { "x-api-key": await insertKey({ allowedAddresses: ["192.0.2.1"] }) };
    for (const _ of [1, 2]) assert.equal(await world.status(elsewhere), 403);
    assert.equal(world.upstream.received.length, before);
    const here = { "x-api-key": await insertKey({ allowedAddresses: ["127.0.0.0/8"] }) };
    for (const _ of [1, 2]) assert.equal(await world.status(here), 200);
  });

  it("is refused with an issue for every faulty header", async () => {
    const answer = await callProxy(world.proxy.port, ["host: a"]);
    const problem = JSON.parse(answer?.body.toString() ?? "");
    assert.deepEqual(
      problem.issues.map(({ name }: { name: string }) => name),
      ["x-amp-proxy-version", "x-amp-project-id", "x-amp-installation-id"],
    );
    assert.equal(problem.causes.length, 3);
  });
});

describe("the proxy of an integration", () => {
  const cases: [string, number, Stocking][] = [
    ["that the manifest does not mention is closed", 403, { manifest: { ...MANIFEST, proxy: undefined } }],
    [
      "that the manifest switches off is closed",
      403,
      { manifest: { ...MANIFEST, proxy: { enabled: false } } },
    ],
    [
      "that the configuration switches off is closed",
      403,
      { config: { ...CONFIG, proxy: { enabled: false } } },
    ],
    ["that the configuration does not mention is open", 200, { config: { ...CONFIG, proxy: undefined } }],
    ["whose configuration does not set `enabled` is open", 200, { config: { ...CONFIG, proxy: {} } }],
  ];
  for (const [what, status, stocking] of cases) {
    it(what, async (t) => {
      const world = await openWorld(t, { stocking });
      assert.equal(await world.status(), status);
    });
  }
});

describe("the address", () => {
  const target = async (
    t: TestContext,
    provider: (origin: string) => object,
    manifest = {},
    path = "/x?a=1",
  ) => {
    const world = await openWorld(t, { provider, stocking: { manifest: { ...MANIFEST, ...manifest } } });
    await callProxy(world.proxy.port, listLines(world.stock), path);
    return world.upstream.received[0]?.startLine.split(" ")[1];
  };

  it("has the path of the base address before the caller's", async (t) => {
    assert.equal(await target(t, (origin) => acme(`${origin}/api/`)), "/api/x?a=1");
  });

  it("is the module's where the manifest says so", async (t) => {
    const provider = (origin: string) =>
      acme(`${origin}/root`, {
        defaultModule: "crm",
        modules: { crm: { displayName: "CRM", baseURL: `${origin}/crm`, support: supports("proxy") } },
      });
    assert.equal(await target(t, provider), "/root/x?a=1");
    assert.equal(
      await target(t, provider, { module: "crm", proxy: { enabled: true, useModule: true } }),
      "/crm/x?a=1",
    );
    assert.equal(await target(t, provider, { module: "crm" }), "/root/x?a=1");
  });

  it("carries the key where the provider expects it, and replaces the caller's own", async (t) => {
    const provider = (origin: string) =>
      acme(origin, { apiKeyOpts: { attachmentType: "query", query: { name: "api_key" } } });
    const paths = {
      "/x": "/x?",
      "/x?": "/x?",
      "/x?a=%20&b": "/x?a=%20&b&",
      "/x?api_key=mine&a=1&API%5FKEY=2": "/x?a=1&",
      "/x?a=1;api_key=2": "/x?a=1&",
      "/x?a=1;b=2&c=3": "/x?a=1;b=2&c=3&",
    };
    for (const [path, expected] of Object.entries(paths)) {
      assert.equal(await target(t, provider, {}, path), `${expected}api_key=provider-key`);
    }
  });
});

describe("a change in the database", () => {
  /** The clock that ends what is remembered stands still, so that only a notification can be the cause. */
  before(() => {
    const nowMs = performance.now();
    mock.method(performance, "now", () => nowMs);
  });
  after(() => mock.restoreAll());
  const soon = (world: World, status: number, more = {}) =>
    until(async () => (await world.status(more)) === status);

  it("to a key, a configuration, a manifest or a project takes effect at once", async (t) => {
    const world = await openWorld(t);
    const { queries } = world.proxy.database;
    const { projectId, installationId } = world.stock;
    const extra = newApiKey();
    const { id } = await insertApiKey(queries, { key: extra, projectId, label: "extra", scopes: ["full"] });
    assert.equal(await world.status({ "x-api-key": extra }), 200);
    await queries.updateTable("apiKeys").set({ active: false }).where("id", "=", id).execute();
    await soon(world, 401, { "x-api-key": extra });

    const integration = await findIntegration(queries, projectId, INTEGRATION);
    const revisionId = integration?.latestRevision.id ?? "";
    const configure = (content: object) =>
      insertConfig(queries, { projectId, installationId, revisionId, content, createdBy: "api:test" });
    await configure({ ...CONFIG, proxy: { enabled: false } });
    await soon(world, 403);
    await configure(CONFIG);
    await soon(world, 200);

    await deploy(queries, projectId, { ...MANIFEST, proxy: { enabled: false } });
    await soon(world, 403);
    await deploy(queries, projectId, MANIFEST);
    await soon(world, 200);

    await queries.deleteFrom("projects").where("id", "=", projectId).execute();
    await soon(world, 401);
  });

  it("to the credentials takes effect at once", async (t) => {
    const world = await openWorld(t);
    const { projectId, connectionId } = world.stock;
    assert.equal(await world.status(), 200);
    const place = { id: connectionId, projectId };
    const credentialsSealed = sealCredentials(testSealer(), place, { scheme: "apiKey", apiKey: "another" });
    await updateConnection(world.proxy.database.queries, projectId, connectionId, { credentialsSealed });
    await until(async () => {
      await world.status();
      return world.upstream.received.at(-1)?.lines.includes("X-Acme-Key: another") ?? false;
    });
  });

  it("leads names to the installation that has them now", async (t) => {
    const world = await openWorld(t);
    const { queries } = world.proxy.database;
    const { projectId, connectionId, installationId } = world.stock;
    const named = {
      "x-amp-installation-id": undefined,
      "x-amp-integration-name": INTEGRATION,
      "x-amp-group-ref": GROUP_REF,
    };
    assert.equal(await world.status(named), 200);
    await removeInstallation(queries, projectId, installationId);
    await soon(world, 404, named);
    const { id: groupId } = await upsertGroup(queries, { projectId, groupRef: GROUP_REF });
    await install(queries, { projectId, groupId, connectionId });
    await soon(world, 200, named);
  });

  it("that removes a connection ends its calls", async (t) => {
    const world = await openWorld(t);
    const { projectId, connectionId, installationId } = world.stock;
    assert.equal(await world.status(), 200);
    await removeInstallation(world.proxy.database.queries, projectId, installationId);
    await removeConnection(world.proxy.database.queries, projectId, connectionId);
    await soon(world, 404);
  });
});
