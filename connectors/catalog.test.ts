/** The catalog shows what works here, and an operator's overlay either fits or is refused with its faults. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { buildCatalog } from "./catalog.ts";
import { CatalogError } from "./catalog-overlay.ts";
import { fillBaseUrl, fillHealthCheckUrl, fillTokenUrl } from "../connector-kit/provider/template.ts";

const listFaults = (overlay: unknown): Record<string, string> => {
  try {
    buildCatalog(overlay);
  } catch (error) {
    assert.ok(error instanceof CatalogError);
    return Object.fromEntries(error.faults.map(({ path, message }) => [path, message]));
  }
  return {};
};

test("support is shown only where the code is here, and what is declared can still be asked", () => {
  const catalog = buildCatalog();
  const hubspot = catalog.find("hubspot")?.support;
  assert.equal(hubspot?.write, true);
  assert.equal(hubspot?.delete, true);
  assert.equal(hubspot?.proxy, true);
  assert.equal(hubspot?.read, true);
  assert.equal(hubspot?.subscribe, true);
  assert.deepEqual(hubspot?.batchWrite?.create, { supported: true, defaultRecordLimit: 100 });
  assert.deepEqual(hubspot?.batchWrite?.upsert, { supported: true, defaultRecordLimit: 100 });
  assert.equal(catalog.find("braze")?.support.write, false);
  assert.equal(catalog.find("braze")?.support.proxy, true);

  assert.equal(catalog.declares("braze", "write"), true);
  assert.equal(catalog.built("braze", "write"), false);
  assert.equal(catalog.declares("salesforce", "write", "account-engagement"), true);
  assert.equal(catalog.built("salesforce", "write", "account-engagement"), false);
  assert.equal(catalog.built("salesforce", "write", "crm"), true);
  assert.equal(catalog.built("salesforce", "search"), true);
  assert.equal(catalog.built("salesforce", "read", "account-engagement"), false);
  assert.equal(catalog.built("salesforce", "subscribe"), true);
  assert.equal(catalog.built("salesforce", "subscribe", "account-engagement"), false);
  assert.equal(catalog.declares("braze", "read"), true);
  assert.equal(catalog.built("braze", "read"), false);
  assert.equal(catalog.declares("nope", "write"), false);
  assert.equal(catalog.declares("salesforce", "write", "nope"), false);
});

test("every provider has what published clients cannot do without", () => {
  const catalog = buildCatalog();
  assert.deepEqual(catalog.keys(), catalog.keys().toSorted());
  for (const [key, info] of Object.entries(catalog.all())) {
    assert.equal(info.name, key);
    assert.deepEqual(info.providerOpts, {});
    assert.equal(typeof info.displayName, "string");
    assert.equal(typeof info.defaultModule, "string");
  }
});

test("code is found by key, and by own keys only", () => {
  const catalog = buildCatalog();
  assert.ok(catalog.connector("hubspot")?.write);
  assert.equal(catalog.connector("braze"), undefined);
  assert.equal(catalog.connector("constructor"), undefined);
  assert.equal(catalog.find("__proto__"), undefined);
});

test("an overlay moves a provider and leaves the rest of it alone", () => {
  const catalog = buildCatalog({
    providers: {
      hubspot: {
        baseURL: "http://127.0.0.1:4100/hubspot",
        oauth2Opts: { authURL: "http://127.0.0.1:4100/hubspot/oauth/authorize" },
      },
      salesforce: { baseURL: "http://127.0.0.1:4100/salesforce" },
      redtail: { baseURL: "http://127.0.0.1:4100/redtail" },
    },
  });
  const steps = catalog.find("redtail")?.customOpts?.connectSteps;
  assert.equal(steps?.[0]?.request?.url, "http://127.0.0.1:4100/redtail/authentication");
  const hubspot = catalog.find("hubspot");
  const salesforce = catalog.find("salesforce");
  assert.ok(hubspot && salesforce);
  assert.equal(hubspot.displayName, "HubSpot");
  assert.equal(hubspot.oauth2Opts?.authURL, "http://127.0.0.1:4100/hubspot/oauth/authorize");
  assert.equal(
    fillBaseUrl(salesforce, { values: { workspace: "acme" } }).href,
    "http://127.0.0.1:4100/salesforce",
  );
  assert.ok(catalog.built("hubspot", "write"));
});

test("no address stays on the old host when a provider is moved", () => {
  const catalog = buildCatalog({
    providers: {
      hubspot: { baseURL: "http://127.0.0.1:4100/hubspot/" },
      salesforce: { baseURL: "http://127.0.0.1:4100/salesforce" },
    },
  });
  const hubspot = catalog.find("hubspot");
  const salesforce = catalog.find("salesforce");
  assert.ok(hubspot && salesforce);
  assert.equal(
    fillTokenUrl(hubspot, { values: {} }).href,
    "http://127.0.0.1:4100/hubspot/oauth/2026-03/token",
  );
  assert.equal(fillHealthCheckUrl(hubspot, { values: {} })?.host, "127.0.0.1:4100");
  assert.equal(hubspot.accountInfo?.url, "http://127.0.0.1:4100/hubspot/account-info/2026-03/details");
  assert.equal(hubspot.modules?.crm?.baseURL, "http://127.0.0.1:4100/hubspot/crm");
  assert.equal(
    fillTokenUrl(salesforce, { values: { workspace: "acme" } }).href,
    "http://127.0.0.1:4100/salesforce/services/oauth2/token",
  );
  assert.equal(salesforce.modules?.["account-engagement"]?.baseURL, "https://pi.pardot.com");
});

test("an overlay adds a provider that needs no more than its facts", () => {
  const catalog = buildCatalog({
    providers: {
      acmeCrm: {
        authType: "apiKey",
        baseURL: "https://api.acme.example",
        support: { proxy: true },
        apiKeyOpts: { attachmentType: "header", header: { name: "X-Key" } },
      },
    },
  });
  const info = catalog.find("acmeCrm");
  assert.equal(info?.displayName, "acmeCrm");
  assert.equal(info?.support.proxy, true);
  assert.equal(info?.support.write, false);
  assert.deepEqual(info?.providerOpts, {});
});

test("every mistake in an overlay is reported with its path, and a near miss with the right name", () => {
  const faults = listFaults({
    providers: {
      hubspot: {
        oauth2Opts: { tokenUrl: "https://x.example", grantType: "magic" },
        baseURL: null,
        support: { wirte: true },
        metadata: { input: [{ prompt: "?" }] },
      },
      fresh: { authType: "oauth2", baseURL: "ftp://x", support: {} },
      unsaid: {
        authType: "custom",
        baseURL: "https://x.example",
        support: {},
        customOpts: { multiStep: true },
      },
      stepwise: {
        authType: "custom",
        baseURL: "https://x.example",
        support: {},
        customOpts: { connectSteps: [{ request: { method: "PUT", url: "https://x.example" } }] },
      },
      muddled: {
        authType: "custom",
        baseURL: "https://x.example",
        support: {},
        customOpts: { connectSteps: [{}, { redirect: { url: "/consent" } }] },
      },
      "bad key": {},
    },
    provider: {},
  });
  assert.equal(faults["providers.hubspot.oauth2Opts.tokenUrl"], 'unknown member, did you mean "tokenURL"?');
  assert.match(
    faults["providers.hubspot.oauth2Opts.grantType"] ?? "",
    /must be one of .*"password", but is "magic"/,
  );
  assert.equal(faults["providers.hubspot.baseURL"], "must be text, but is null");
  assert.equal(faults["providers.hubspot.support.wirte"], 'unknown member, did you mean "write"?');
  assert.match(faults["providers.hubspot.metadata.input[0].name"] ?? "", /^missing: Name/);
  assert.equal(faults["providers.fresh.oauth2Opts"], "missing, because authType is oauth2");
  assert.match(faults["providers.fresh.baseURL"] ?? "", /must begin with https/);
  assert.match(faults["providers.unsaid.customOpts.connectSteps"] ?? "", /missing, because multiStep/);
  const methodOf = "providers.stepwise.customOpts.connectSteps[0].request.method";
  assert.match(faults[methodOf] ?? "", /one of "GET", "POST"/);
  const muddled = "providers.muddled.customOpts.connectSteps";
  assert.match(faults[`${muddled}[0]`] ?? "", /one of redirect and request/);
  assert.match(faults[`${muddled}[1].redirect.url`] ?? "", /must begin with https/);
  assert.match(faults["providers.bad key"] ?? "", /letters, digits/);
  assert.match(faults.provider ?? "", /unknown member/);
});

test("an overlay of another form is refused, an empty one is none", () => {
  assert.match(listFaults([]).providers ?? "", /must be an object/);
  assert.match(listFaults("x").providers ?? "", /must be an object/);
  assert.match(listFaults({ providers: [] }).providers ?? "", /by key/);
  assert.match(listFaults({ providers: { hubspot: 7 } })["providers.hubspot"] ?? "", /must be an object/);
  assert.match(
    listFaults({ providers: { hubspot: { name: "x" } } })["providers.hubspot.name"] ?? "",
    /hubspot/,
  );
  assert.ok(buildCatalog(undefined).find("hubspot"));
  assert.ok(buildCatalog(null).find("hubspot"));
});

test("a member named __proto__ is data to refuse, not a prototype", () => {
  const overlay: unknown = JSON.parse('{"providers":{"hubspot":{"__proto__":{"polluted":true}}}}');
  assert.match(Object.keys(listFaults(overlay)).join(), /__proto__/);
  assert.equal(Object.hasOwn(Object.prototype, "polluted"), false);
});

test("one catalog does not change another", () => {
  buildCatalog({ providers: { hubspot: { displayName: "Other", modules: { crm: { displayName: "X" } } } } });
  assert.equal(buildCatalog().find("hubspot")?.displayName, "HubSpot");
  assert.equal(buildCatalog().find("hubspot")?.modules?.crm?.displayName, "HubSpot CRM");
});

test("a project without providers of its own gets the catalog that was asked, not an earlier one", () => {
  for (const baseURL of ["https://one.example", "https://two.example"]) {
    const catalog = buildCatalog({ providers: { hubspot: { baseURL } } });
    assert.equal(catalog.of("project").find("hubspot")?.baseURL, baseURL);
  }
});
