/** Creates at a provider with idempotency keys, when Busbar is killed between the provider's commit and its answer. */
import assert from "node:assert/strict";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Intercept, RunningVendor } from "../../simulations/vendor/start-vendor.ts";
import { endChildBusbar, startChildBusbar, type ChildBusbar } from "../harness/child-busbar.ts";
import { openTestVendor } from "../harness/test-vendor.ts";
import { until } from "../harness/until.ts";

const MANIFEST = `
specVersion: 1.0.0
integrations:
  - name: billing
    provider: stripe
    write:
      objects:
        - objectName: customers
  - name: shop
    provider: square
    write:
      objects:
        - objectName: groups
`;

describe("creates under idempotency keys", () => {
  let stripe: RunningVendor;
  let square: RunningVendor;
  /** While it is set, every write is carried out, and its connection breaks or stays open without an answer. */
  let unanswered: "lost" | "held" | undefined;
  let dataDir = "";
  let env: Record<string, string> = {};
  let busbar: ChildBusbar | undefined;
  const server = (): ChildBusbar => {
    assert.ok(busbar);
    return busbar;
  };

  before(async () => {
    const intercept: Intercept = ({ method }, carryOut) => {
      const answer = carryOut();
      return method === "GET" ? answer : (unanswered ?? answer);
    };
    stripe = await openTestVendor("stripe", { intercept });
    square = await openTestVendor("square", { intercept });
    dataDir = await mkdtemp(join(tmpdir(), "busbar-keyed-"));
    const catalog = join(dataDir, "catalog.json");
    await writeFile(
      catalog,
      JSON.stringify({ providers: { stripe: { baseURL: stripe.url }, square: { baseURL: square.url } } }),
    );
    env = {
      BUSBAR_CATALOG: catalog,
      BUSBAR_EGRESS_ALLOW: "127.0.0.1",
      BUSBAR_RETRY_BASE_SECONDS: "0.1",
    };
    busbar = await startChildBusbar(dataDir, env);
    const deployed = await server().inProject("PUT", "/integrations:batch", { sourceYaml: MANIFEST });
    assert.equal(deployed.status, 200, deployed.text);
    await connect("stripe", { apiKey: "k-1" });
    await connect("square", { oauth2AuthorizationCode: { accessToken: { token: "t-1" } } });
    await install("billing", "stripe", "customers");
    await install("shop", "square", "groups");
  });
  after(async () => {
    await endChildBusbar(busbar, dataDir);
    await stripe.close();
    await square.close();
  });

  async function connect(provider: string, credentials: object): Promise<void> {
    const connection = { provider, groupRef: "acme", consumerRef: "ada", ...credentials };
    const { status, text } = await server().inProject("POST", "/connections:generate", connection);
    assert.equal(status, 201, text);
  }
  async function install(integration: string, provider: string, objectName: string): Promise<void> {
    const content = { provider, write: { objects: { [objectName]: { objectName } } } };
    const { status, text } = await server().inProject("POST", `/integrations/${integration}/installations`, {
      groupRef: "acme",
      config: { content },
    });
    assert.equal(status, 201, text);
  }
  const later = async (integration: string, object: string, body: object): Promise<string> => {
    const create = { groupRef: "acme", type: "create", mode: "asynchronous", ...body };
    const { status, text, body: answer } = await server().write(integration, object, create);
    assert.equal(status, 200, text);
    return answer.operationId;
  };
  const now = (key: string, record: object) =>
    server().write(
      "billing",
      "customers",
      { groupRef: "acme", type: "create", record },
      { "idempotency-key": key },
    );
  async function ended(id: string): Promise<{ status: string; result: string }> {
    let operation = { status: "", result: "" };
    await until(async () => {
      operation = (await server().inProject("GET", `/operations/${id}`)).body;
      return operation.status !== "in_progress";
    });
    return operation;
  }
  const emails = () => stripe.vendor.records.of("customers").map(({ fields }) => fields["email"]);

  test("are repeated after a kill under the same key: each record exists once, and its operation succeeds", async () => {
    unanswered = "held";
    const single = await later("billing", "customers", { record: { email: "single@example.com" } });
    const second = await later("billing", "customers", { record: { email: "second@example.com" } });
    const undocumented = await later("shop", "groups", { record: { name: "Writers" } });
    const cut = now("signup-1", { email: "now@example.com" }).then(
      () => "answered",
      () => "cut off",
    );
    await until(() => emails().length === 3 && square.vendor.records.of("groups").length === 1);
    server().signal("SIGKILL");
    assert.equal(await cut, "cut off");
    unanswered = undefined;
    busbar = await startChildBusbar(dataDir, env);

    for (const id of [single, second]) assert.equal((await ended(id)).status, "success");
    const again = await now("signup-1", { email: "now@example.com" });
    assert.equal(again.status, 200, again.text);
    const known = stripe.vendor.records
      .of("customers")
      .find(({ fields }) => fields["email"] === "now@example.com");
    assert.equal(again.body.result.recordId, known?.id);
    assert.deepEqual(
      emails().toSorted(),
      ["now", "second", "single"].map((name) => `${name}@example.com`),
    );
    // Square documents no time for which it knows a key.
    const lost = await ended(undocumented);
    assert.equal(lost.status, "failure");
    assert.match(lost.result, /unknown/);
    assert.equal(square.vendor.records.of("groups").length, 1);
  });

  test("are retried under the same key while their answers are lost, until the provider answers", async () => {
    unanswered = "lost";
    const countCreates = () => stripe.vendor.seen.filter(({ action }) => action === "create").length;
    const before = countCreates();
    const id = await later("billing", "customers", { record: { email: "lost@example.com" } });
    await until(() => countCreates() >= before + 4);
    unanswered = undefined;
    assert.equal((await ended(id)).status, "success");
    assert.equal(emails().filter((email) => email === "lost@example.com").length, 1);
  });
});
