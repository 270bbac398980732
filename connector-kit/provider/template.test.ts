/** Addresses filled from a connection's values never leave the hosts that the provider's facts allow. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { provider as hubspot } from "../../connectors/hubspot/provider.ts";
import { provider as salesforce } from "../../connectors/salesforce/provider.ts";
import { provider as zoho } from "../../connectors/zoho/description.ts";
import { PROVIDER_TABLE } from "../../connectors/provider-table.ts";
import { completeProvider } from "./define-provider.ts";
import type { ProviderInfo } from "../provider-info.ts";
import {
  authorizeUrl,
  fillBaseUrl,
  fillTemplate,
  fillHealthCheckUrl,
  normalizeInputs,
  listPlaceholders,
  TemplateError,
  fillTokenUrl,
  checkReportedUrl,
} from "./template.ts";

const salesforceInfo = completeProvider("salesforce", salesforce);
const info = (key: string): ProviderInfo => {
  const facts = PROVIDER_TABLE[key];
  assert.ok(facts);
  return completeProvider(key, facts);
};

const gongInfo = info("gong");

test("a workspace fills every address of a provider", () => {
  const options = { values: { workspace: "acme--uat.sandbox" } };
  const host = "https://acme--uat.sandbox.my.salesforce.com";
  assert.equal(fillBaseUrl(salesforceInfo, options).href, `${host}/`);
  assert.equal(authorizeUrl(salesforceInfo, options).href, `${host}/services/oauth2/authorize`);
  assert.equal(fillTokenUrl(salesforceInfo, options).href, `${host}/services/oauth2/token`);
  assert.equal(fillHealthCheckUrl(salesforceInfo, options)?.href, `${host}/services/oauth2/userinfo`);
});

test("what people paste instead of a workspace is understood", () => {
  const pasted = [
    "acme",
    " acme ",
    "acme.my.salesforce.com",
    "https://acme.my.salesforce.com/",
    "https://acme.lightning.force.com/lightning/page/home",
    "acme.lightning.force.com",
    "acme.my.salesforce-setup.com",
    "https://ACME.my.salesforce.com?x=1".replace("ACME", "acme"),
    "acme.salesforce.com",
  ];
  for (const workspace of pasted) {
    assert.equal(normalizeInputs(salesforceInfo, { workspace }).workspace, "acme", workspace);
    assert.equal(fillBaseUrl(salesforceInfo, { values: { workspace } }).host, "acme.my.salesforce.com");
  }
  const sandbox = normalizeInputs(salesforceInfo, {
    workspace: "https://acme--uat.sandbox.lightning.force.com/x",
  });
  assert.equal(sandbox.workspace, "acme--uat.sandbox");
});

test("a host in another of the provider's clouds is used as it is, pasted with or without its address", () => {
  // Salesforce's government cloud, and Salesforce on Alibaba Cloud.
  for (const host of ["acme.my.salesforce.mil", "acme.my.sfcrmproducts.cn"]) {
    for (const workspace of [host, `https://${host}/`]) {
      const options = { values: { workspace } };
      assert.equal(fillBaseUrl(salesforceInfo, options).href, `https://${host}/`);
      assert.equal(fillTokenUrl(salesforceInfo, options).href, `https://${host}/services/oauth2/token`);
    }
  }
  const other = fillBaseUrl(salesforceInfo, { values: { workspace: "acme.my.sfcrmproducts.cn.evil.com" } });
  assert.equal(other.host, "acme.my.sfcrmproducts.cn.evil.com.my.salesforce.com");
});

test("a value that would change the host is refused by name", () => {
  const evil = [
    "evil.com/x",
    "evil.com#",
    "evil.com?",
    "evil.com:443",
    "a@evil.com",
    "evil.com\\",
    "evil..com",
    ".evil.com",
    "evil.com.",
    "-evil",
    "evil%2ecom",
    "evil\n",
    "ａcme",
    "https://evil.com/.my.salesforce.com",
    "{{.workspace}}",
  ].filter((value) => normalizeInputs(salesforceInfo, { workspace: value }).workspace !== "evil");
  for (const workspace of evil) {
    let url: URL | undefined;
    try {
      url = fillBaseUrl(salesforceInfo, { values: { workspace } });
    } catch (error) {
      assert.ok(error instanceof TemplateError, workspace);
    }
    // What is not refused was understood as a name and stays below the provider's own domain.
    if (url) assert.match(url.hostname, /^[a-z0-9.-]+\.my\.salesforce\.com$/, workspace);
  }
  assert.throws(() => fillBaseUrl(salesforceInfo, { values: { workspace: "evil.com/x" } }), {
    placeholder: "workspace",
  });
});

test("a missing value is named; a default fills in", () => {
  assert.throws(() => fillBaseUrl(salesforceInfo, { values: {} }), {
    name: "TemplateError",
    placeholder: "workspace",
  });
  assert.throws(() => fillBaseUrl(salesforceInfo, { values: { workspace: "" } }), /no value for "workspace"/);
  const dynamics = info("dynamicsCRM");
  assert.equal(
    fillBaseUrl(dynamics, { values: { workspace: "org1" } }).href,
    "https://org1.api.crm.dynamics.com/api/data",
  );
});

test("a placeholder in the path takes a name and nothing that changes the path", () => {
  const atlassian = info("atlassian");
  const url = fillBaseUrl(atlassian, { values: { cloudId: "11223344-a1b2" } });
  assert.equal(url.href, "https://api.atlassian.com/ex/jira/11223344-a1b2/rest/api");
  for (const cloudId of ["..", "a/../../x", "a?b", "%2e%2e"]) {
    assert.throws(() => fillBaseUrl(atlassian, { values: { cloudId } }), TemplateError, cloudId);
  }
});

test("an address that is a value as a whole must be https on a host of the provider", () => {
  const fill = (url: string) => fillBaseUrl(gongInfo, { values: { api_base_url_for_customer: url } });
  assert.equal(fill("https://company-17.api.gong.io").href, "https://company-17.api.gong.io/");
  const refused = [
    "http://company-17.api.gong.io",
    "https://gong.io.evil.com",
    "https://evilgong.io",
    "https://gong.io",
    "https://user:pass@api.gong.io",
    "https://api.gong.io@evil.com",
    "https://api.gong.io:8443",
    "https://api.gong.io/#x",
    "javascript:alert(1)",
    "api.gong.io",
  ];
  for (const url of refused) assert.throws(() => fill(url), TemplateError, url);
});

test("a plain host is taken only where the operator allows that very host", () => {
  const allowPlainHttp = (host: string) => host === "127.0.0.1:4100";
  const values = { api_base_url_for_customer: "http://127.0.0.1:4100/gong" };
  assert.equal(fillBaseUrl(gongInfo, { values, allowPlainHttp }).pathname, "/gong");
  assert.throws(() => fillBaseUrl(gongInfo, { values }), TemplateError);
  assert.throws(() => checkReportedUrl(gongInfo, "http://10.0.0.1", { allowPlainHttp }), TemplateError);
  assert.equal(
    checkReportedUrl(salesforceInfo, "https://acme.my.salesforce.com", {}).host,
    "acme.my.salesforce.com",
  );
});

test("a host that is a value as a whole must be one of the provider's", () => {
  const zohoInfo = completeProvider("zoho", zoho);
  assert.equal(
    fillBaseUrl(zohoInfo, { values: { zoho_api_domain: "www.zohoapis.eu" } }).host,
    "www.zohoapis.eu",
  );
  assert.throws(() => fillBaseUrl(zohoInfo, { values: { zoho_api_domain: "evil.com" } }), TemplateError);
  assert.throws(
    () => fillBaseUrl(zohoInfo, { values: { zoho_api_domain: "www.zohoapis.eu.evil.com" } }),
    TemplateError,
  );
  assert.equal(fillTokenUrl(zohoInfo, { values: {} }).host, "accounts.zoho.com");
});

test("an address moved by the operator needs no values", () => {
  const moved = { ...salesforceInfo, baseURL: "http://127.0.0.1:4100/salesforce" };
  assert.equal(
    fillBaseUrl(moved, { values: { workspace: "acme" } }).href,
    "http://127.0.0.1:4100/salesforce",
  );
  const local = { ...salesforceInfo, baseURL: "http://{{.workspace}}.localhost:4100" };
  assert.equal(fillBaseUrl(local, { values: { workspace: "acme" } }).href, "http://acme.localhost:4100/");
});

test("a module has an address of its own", () => {
  const hub = completeProvider("hubspot", hubspot);
  assert.equal(fillBaseUrl(hub, { values: {} }).href, "https://api.hubapi.com/");
  assert.equal(fillBaseUrl(hub, { values: {}, moduleKey: "crm" }).href, "https://api.hubapi.com/crm");
  assert.throws(() => fillBaseUrl(hub, { values: {}, moduleKey: "nope" }), /no module "nope"/);
});

test("placeholders are found in both spellings and values are not templates", () => {
  assert.deepEqual(listPlaceholders("{{.a}}-{{ .b }}-{{.a}}"), ["a", "b"]);
  assert.equal(fillTemplate("Bearer {{ .token }}", { token: "$& {{.token}}" }), "Bearer $& {{.token}}");
  assert.throws(() => fillTemplate("{{.toString}}", {}), /no value for "toString"/);
});
