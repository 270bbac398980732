/** Guards how URLs are rewritten for the router. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { toRoutedUrl, toRouterPattern } from "./address.ts";

const routed = (url: string) => toRoutedUrl({ url, headers: {} }, {});
const P = "/v1/projects/default";

describe("an address that ends in a slash", () => {
  for (const path of [
    P,
    `${P}/integrations:batch`,
    `${P}/connections/c:oauth-update`,
    `${P}/integrations/crm/objects/contacts/metadata`,
    "/write/v1/projects/default/integrations/crm/objects/contacts",
  ]) {
    test(`means the same as without: ${path}`, () => {
      assert.equal(routed(`${path}/`), routed(path));
      assert.equal(routed(`${path}/?a=b/`), routed(`${path}?a=b/`));
    });
  }

  test("stays what it is where there is nothing else", () => {
    assert.equal(routed("/"), "/");
  });
});

describe("a data surface", () => {
  const url = `${P}/integrations/crm/objects/contacts`;
  const hosts = { write: "write.example.com" };

  test("is named by a header or by the host, and its path gets the prefix", () => {
    assert.equal(toRoutedUrl({ url, headers: { "x-amp-request-type": "write" } }, {}), `/write${url}`);
    assert.equal(toRoutedUrl({ url, headers: { host: "Write.example.com:443" } }, hosts), `/write${url}`);
  });

  test("changes nothing for other hosts, unknown names and other paths", () => {
    assert.equal(toRoutedUrl({ url, headers: { host: "api.example.com" } }, hosts), url);
    assert.equal(toRoutedUrl({ url, headers: { "x-amp-request-type": "delete" } }, hosts), url);
    assert.equal(toRoutedUrl({ url: "/docs", headers: { "x-amp-request-type": "read" } }, {}), "/docs");
  });
});

describe("a verb behind a colon", () => {
  test("becomes a segment of its own, encoded or not, and the query stays", () => {
    assert.equal(routed(`${P}/integrations:batch?a=b`), `${P}/integrations/:batch?a=b`);
    assert.equal(routed(`${P}/integrations%3Abatch`), `${P}/integrations/:batch`);
    assert.equal(routed(`${P}/connections/c:oauth-update`), `${P}/connections/c/:oauth-update`);
  });

  test("is only a known one at the end; other colons belong to names", () => {
    for (const path of [`${P}/groups/a:b`, `${P}/groups/a:batch/members`, `${P}/topics?name=a:batch`]) {
      assert.equal(routed(path), path);
    }
  });

  test("matches the pattern of its route", () => {
    assert.equal(
      toRouterPattern("/v1/projects/{projectIdOrName}/integrations:batch"),
      "/v1/projects/:projectIdOrName/integrations/::batch",
    );
  });
});

describe("an object name", () => {
  test("may contain slashes and stays one segment", () => {
    assert.equal(
      routed(`${P}/integrations/crm/objects/billing/v2/invoices?a=/`),
      `${P}/integrations/crm/objects/billing%2Fv2%2Finvoices?a=/`,
    );
  });

  test("may contain slashes before the id of a record", () => {
    const records = `${P}/integrations/crm/installations/i/records`;
    assert.equal(routed(`${records}/a/b/502`), `${records}/a%2Fb/502`);
    assert.equal(routed(`${records}/contacts/502?a=/`), `${records}/contacts/502?a=/`);
    assert.equal(routed(`${records}/contacts/a%2Fb`), `${records}/contacts/a%2Fb`);
  });

  test("ends before a known suffix", () => {
    assert.equal(
      routed(`${P}/providers/hubspot/objects/a/b/metadata`),
      `${P}/providers/hubspot/objects/a%2Fb/metadata`,
    );
  });
});
