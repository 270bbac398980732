/** Providers through the API: those of the catalog, and those that a builder adds to a project. */
import assert from "node:assert/strict";
import type { ProviderInfo } from "../../../connector-kit/provider-info.ts";
import { after, describe, test } from "node:test";
import type { Facts } from "../../../connector-kit/facts/facts.ts";
import { DESCRIPTIONS } from "../../../connectors/descriptions.gen.ts";
import { breakDescription } from "../../../tests/simulations/broken-descriptions.ts";

import { shareTestBusbar } from "../../../tests/harness/busbar.ts";
import { openTestVendor } from "../../../tests/harness/test-vendor.ts";
import { assertProblem } from "../../../tests/journeys/assert-problem.ts";

const CONNECTOR = {
  defaults: {
    list: { path: "/v3/{path}" },
    records: "results",
    paging: { cursor: { from: "meta.next", to: "query.after" } },
    create: { method: "POST", path: "/v3/{path}", wrap: { in: "{singular}" } },
    update: { method: "PATCH", path: "/v3/{path}/{id}", wrap: { in: "{singular}" } },
    delete: { method: "DELETE", path: "/v3/{path}/{id}" },
    record: "{singular}",
  },
  objects: { people: { singular: "person" } },
  errors: { message: ["error.text"] },
  sources: { documentation: "https://docs.quill.example", checked: "2026-11-22, documentation only" },
};

/** What that provider answers. */
const FACTS: Facts = {
  provider: "x-quill",
  sources: {},
  hosts: [],
  objects: {
    people: {
      id: { path: "id", type: "string" },
      list: {
        source: "",
        method: "GET",
        path: "/v3/people",
        success: [200],
        records: "results",
        paging: { kind: "cursor", from: "meta.next", to: "query.after" },
      },
      create: {
        source: "",
        method: "POST",
        path: "/v3/people",
        success: [201],
        wrap: "person",
        record: "person",
      },
    },
  },
  errors: { source: "", body: { error: { text: "REASON" } }, message: "error.text" },
};

const FIELD = { name: "team", displayName: "Team", path: "team.url" };

const documentAt = (baseURL: string, more: object = {}) => ({
  displayName: "Quill CRM",
  authType: "apiKey",
  baseURL,
  apiKeyOpts: { attachmentType: "header", header: { name: "X-Quill-Key" } },
  connector: CONNECTOR,
  ...more,
});

const MANIFEST = `
specVersion: 1.0.0
integrations:
  - name: quill
    provider: x-quill
    write: { objects: [{ objectName: people }] }
    proxy: { enabled: true }
`;

const busbar = await shareTestBusbar();
const quill = await openTestVendor(FACTS);
after(() => quill.close());

describe("providers", () => {
  const put = (document: object, key = "x-quill") => busbar.inProject("PUT", `/providers/${key}`, document);
  const document = (more: object = {}) => documentAt(quill.url, more);

  test("the list and a single provider agree, and support names only what is built", async () => {
    const { body } = await busbar.call("GET", "/v1/providers");
    assert.ok(Object.keys(body).length > 90);
    const { body: hubspot } = await busbar.call("GET", "/v1/providers/hubspot");
    assert.deepEqual(hubspot, body.hubspot);
    assert.deepEqual([hubspot.support.read, hubspot.support.subscribe], [true, true]);
    assert.deepEqual([body.braze.support.read, body.braze.support.subscribe], [false, false]);
  });

  test("with declared=true, support names what a manifest may declare, as a deployment checks it", async () => {
    const { body } = await busbar.call("GET", "/v1/providers?declared=true");
    assert.deepEqual([body.braze.support.read, body.braze.support.write], [true, true]);
  });

  test("no credential is needed", async () => {
    const answer = await busbar.call("GET", "/v1/providers/hubspot", undefined, { "x-api-key": "" });
    assert.equal(answer.status, 200, answer.text);
  });

  test("an unknown provider is refused with 404, also one in other case", async () => {
    for (const name of ["nothing", "HubSpot", "constructor"]) {
      const answer = await busbar.call("GET", `/v1/providers/${name}`);
      assert.equal(answer.status, 404, answer.text);
      assert.match(answer.body.detail, new RegExp(name));
    }
  });

  test("every action of a declarative provider names the source it was verified against, or is unverified", async () => {
    const shown: Record<string, ProviderInfo> = (await busbar.call("GET", "/v1/providers")).body;
    // The version of Stripe's client that the facts were extracted from, and its day.
    const { sources = {}, objects = {} } = shown.stripe?.evidence ?? {};
    assert.deepEqual(
      [objects.customers?.create, sources.sdk?.kind, sources.sdk?.date],
      ["sdk", "vendor-sdk", "2026-08-19"],
    );
    const described = Object.values(shown).filter(({ support }) => support.read || support.write);
    assert.ok(described.length > 50);
    for (const { name, evidence = { sources: {}, objects: {} } } of described)
      for (const [object, actions] of Object.entries<Record<string, string>>(evidence.objects))
        for (const [action, key] of Object.entries(actions))
          assert.ok(
            key === "unverified" || evidence.sources[key]?.date,
            `${name} ${object} ${action}: ${key}`,
          );
  });

  test("a builder's own cannot claim that it was verified", async () => {
    const evidence = {
      sources: { own: { kind: "vendor-docs", name: "x", date: "2026-01-01" } },
      objects: {},
    };
    const made = await put({ ...document(), evidence }, "x-claim");
    assert.equal(made.status, 200, made.text);
    assert.equal((await busbar.call("GET", "/v1/providers/x-claim")).body.evidence, undefined);
    assert.equal((await busbar.inProject("DELETE", "/providers/x-claim")).status, 204);
  });

  test("a mistyped provider is refused with the one that was probably meant, wherever it is named", async () => {
    const connect = { provider: "hubspott", groupRef: "acme", consumerRef: "ada" };
    const app = { provider: "hubspott", clientId: "id", clientSecret: "secret" };
    for (const answer of [
      await busbar.call("GET", "/v1/providers/hubspott"),
      await busbar.inProject("POST", "/connections:generate", { ...connect, apiKey: "key" }),
      await busbar.call("POST", "/v1/oauth-connect", { ...connect, projectIdOrName: "default" }),
      await busbar.call("POST", "/v1/custom-auth/connect", { ...connect, projectIdOrName: "default" }),
      await busbar.inProject("POST", "/provider-apps", app),
      await busbar.inProject("GET", "/providers/hubspott/objects/contacts/metadata?groupRef=acme"),
    ]) {
      assert.match(answer.body.detail, /There is no provider `hubspott`\. Did you mean "hubspot"\?/);
    }
  });

  test("a builder's own is deployed, connected, written to and called through the proxy", async () => {
    const deployed = await busbar.inProject("PUT", "/integrations:batch", {
      sourceYaml: MANIFEST,
      providers: { "x-quill": document() },
    });
    assert.equal(deployed.status, 200, deployed.text);
    const connection = await busbar.inProject("POST", "/connections:generate", {
      provider: "x-quill",
      groupRef: "acme",
      consumerRef: "ada",
      apiKey: "quill-key-1",
    });
    assert.equal(connection.status, 201, connection.text);
    const installed = await busbar.inProject("POST", "/integrations/quill/installations", {
      groupRef: "acme",
      config: { content: { provider: "x-quill", proxy: { enabled: true } } },
    });
    assert.equal(installed.status, 201, installed.text);
    const record = { name: "Ada" };
    const written = await busbar.write("quill", "people", { groupRef: "acme", type: "create", record });
    assert.equal(written.status, 200, written.text);
    assert.deepEqual(quill.vendor.records.of("people")[0]?.fields, record);
    const proxied = await busbar.proxied({ integration: "quill", groupRef: "acme" }, "/v3/people");
    assert.equal(proxied.body.results[0].name, "Ada", proxied.text);
  });

  test("a revision of one integration deploys the providers that come with it", async () => {
    const displayName = "Quill CRM 2";
    const revision = { sourceYaml: MANIFEST, providers: { "x-quill": document({ displayName }) } };
    const answer = await busbar.inProject("POST", "/integrations/quill/revisions", revision);
    assert.equal(answer.status, 201, answer.text);
    assert.equal(
      (await busbar.inProject("GET", "/providers/x-quill")).body.provider.displayName,
      displayName,
    );
  });

  test("its description can be replaced, and calls follow it at once", async () => {
    const renamed = { ...CONNECTOR, objects: { people: { singular: "human" } } };
    const answer = await put(document({ connector: renamed }));
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.body.provider.support.write, true);
    const refused = await busbar.write("quill", "people", {
      groupRef: "acme",
      type: "create",
      record: { name: "Bob" },
    });
    assert.match(refused.body.detail, /person/);
    assert.equal((await put(document())).status, 200);
  });

  test("its addresses stay as long as it exists, and it stays as long as it is used", async () => {
    const moved = await put(documentAt("http://127.0.0.1:1/base"));
    assert.match(assertProblem(moved, 409, "conflict").detail, /127\.0\.0\.1:1/);
    const removed = await busbar.inProject("DELETE", "/providers/x-quill");
    assert.match(assertProblem(removed, 409, "conflict").detail, /1 connection, 1 integration/);
  });

  test("it belongs to its project alone", async () => {
    const nobody = { "x-api-key": "" };
    assert.equal((await busbar.call("GET", "/v1/providers/x-quill", undefined, nobody)).status, 404);
    assert.equal((await busbar.call("GET", "/v1/providers/x-quill")).body.displayName, "Quill CRM");
    const { body: other } = await busbar.call("POST", "/v1/projects", {
      name: "other-own",
      appName: "Other",
      orgId: (await busbar.inProject("GET", "")).body.orgId,
    });
    const elsewhere = await busbar.call("GET", `/v1/projects/${other.id}/providers/x-quill`);
    assert.notEqual(elsewhere.status, 200);
  });

  test("a broken document is refused with the place of each mistake, and nothing is stored", async () => {
    const faults: [more: object, place: RegExp][] = [
      [{ authType: "magic" }, /^authType$/],
      [{ apiKeyOpts: undefined }, /^apiKeyOpts$/],
      [{ support: { write: true } }, /^support$/],
      [{ secret: "s" }, /^secret$/],
      [{ baseURL: "ftp://api.quill.example" }, /^baseURL$/],
      [{ baseURL: "https://{{.host}}" }, /^baseURL$/],
      [{ baseURL: "http://api.quill.example" }, /^baseURL$/],
      [{ baseURL: "https://10.0.0.1/api" }, /^baseURL$/],
      [{ fixedHeaders: [{ name: "X-Api-Key", valueTemplate: "abc" }] }, /^fixedHeaders\[0\]/],
      [{ connector: { ...CONNECTOR, objects: {} } }, /^connector\.objects$/],
      [{ connector: { ...CONNECTOR, sources: undefined } }, /^connector\.sources$/],
      [{ connector: { ...CONNECTOR, ids: { pattern: "(a+)+" } } }, /^connector\.ids\.pattern$/],
      [{ accountInfo: { url: quill.url, fields: [{ ...FIELD, capture: "(a" }] } }, /fields\[0\]\.capture$/],
    ];
    for (const [more, place] of faults) {
      const answer = await put(document(more), "x-broken");
      const { issues } = assertProblem(answer, 422);
      assert.ok(
        issues.some(({ name }: { name: string }) => place.test(name)),
        answer.text,
      );
    }
    for (const key of ["hubspot", "quill", "x-Q", "x-"]) {
      const { issues } = assertProblem(await put(document(), key), 422);
      assert.equal(issues[0].name, "key");
    }
    const { body } = await busbar.inProject("GET", "/providers");
    assert.deepEqual(
      body.map(({ key }: { key: string }) => key),
      ["x-quill"],
    );
  });

  test("of 100 broken descriptions, each is refused with its place and none reaches the provider", async () => {
    const good = DESCRIPTIONS["serviceNow"];
    assert.ok(good);
    const before = await busbar.inProject("GET", "/providers/x-quill");
    const calls = quill.vendor.seen.length;
    const all = breakDescription(good);
    const step = Math.floor(all.length / 100);
    const chosen = all.filter((_, index) => index % step === 0).slice(0, 100);
    assert.equal(chosen.length, 100);
    for (const { place, description } of chosen) {
      const answer = await put(document({ connector: description }));
      const { issues } = assertProblem(answer, 422);
      assert.ok(
        issues.some(({ name }: { name: string }) => name === place),
        `${place}: ${answer.text}`,
      );
    }
    assert.deepEqual((await busbar.inProject("GET", "/providers/x-quill")).body, before.body);
    assert.equal(quill.vendor.seen.length, calls);
  });

  test("a manifest is checked with the providers that come with it, not with those that they replace", async () => {
    const sourceYaml = MANIFEST.replace("x-quill", "x-later").replace("name: quill", "name: later");
    assert.equal((await put(document({ connector: undefined }), "x-later")).status, 200);
    assertProblem(await busbar.inProject("PUT", "/integrations:batch", { sourceYaml }), 422);
    const deployed = await busbar.inProject("PUT", "/integrations:batch", {
      sourceYaml,
      providers: { "x-later": document() },
    });
    assert.equal(deployed.status, 200, deployed.text);
  });

  test("it is deleted when nothing uses it", async () => {
    assert.equal((await put(document(), "x-unused")).status, 200);
    assert.equal((await busbar.inProject("DELETE", "/providers/x-unused")).status, 204);
    assert.equal((await busbar.inProject("GET", "/providers/x-unused")).status, 404);
    assert.equal((await busbar.inProject("DELETE", "/providers/x-unused")).status, 404);
  });

  test("deleting it ends the attempts to connect: a later provider of the same key gets nothing of them", async () => {
    const customOpts = {
      multiStep: true,
      connectSteps: [{ redirect: { url: "https://api.quill.example/consent", params: {} } }],
    };
    const stepwise = { authType: "custom", baseURL: "https://api.quill.example", customOpts };
    assert.equal((await put(stepwise, "x-steps")).status, 200);
    const begun = await busbar.call("POST", "/v1/custom-auth/connect", {
      projectIdOrName: "default",
      provider: "x-steps",
      groupRef: "acme",
      consumerRef: "ada",
    });
    assert.equal(begun.status, 200, begun.text);
    const page = async () => (await fetch(begun.body.redirect.url)).status;
    assert.equal(await page(), 200);
    assert.equal((await busbar.inProject("DELETE", "/providers/x-steps")).status, 204);
    assert.equal((await put(stepwise, "x-steps")).status, 200);
    assert.notEqual(await page(), 200);
  });
});
