/** Guards what the router sees of an address. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { routedUrl } from "./address.ts";

const routed = (url: string) => routedUrl({ url, headers: {} }, {});
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
