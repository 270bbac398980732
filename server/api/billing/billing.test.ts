/** Billing through the API: it always refuses. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { shareTestBusbar } from "../../../tests/harness/busbar.ts";

const busbar = await shareTestBusbar();

const orgId: string = busbar.server.bootstrap?.orgId ?? "";

describe("billing", () => {
  test("no organisation has a billing account, and one of another organisation is refused with 403", async () => {
    const portal = { redirectUrl: "https://app.example.com" };
    assert.equal((await busbar.call("GET", `/v1/orgs/${orgId}/billingAccount`)).status, 404);
    assert.equal((await busbar.call("POST", "/v1/billingAccounts/any/portalSession", portal)).status, 404);
    assert.equal((await busbar.call("POST", "/v1/billingAccounts/any/portalSession", {})).status, 400);
    const elsewhere = "/v1/orgs/01a1fecd-d759-75de-a63c-a80eaf0833b4/billingAccount";
    assert.equal((await busbar.call("GET", elsewhere)).status, 403);
    const nobody = { "x-api-key": "wrong" };
    assert.equal(
      (await busbar.call("POST", "/v1/billingAccounts/any/portalSession", portal, nobody)).status,
      401,
    );
  });
});
