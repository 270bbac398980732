/** What Xero's OpenAPI file says of amounts: XeroAPI/Xero-OpenAPI, xero_accounting.yaml 16.1.0, commit e952d0b of 2026-07-13. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { orderWrite, planRead } from "../../connector-kit/testing/order-fixture.ts";
import { replay } from "../../connector-kit/testing/replay.ts";
import { CONNECTORS } from "../connectors.gen.ts";

const { read, write } = CONNECTORS["xero"] ?? {};
assert.ok(read && write);

const ID = "7b1c2d3e-81e3-4154-b5b9-2c805e70a02d";

/** "e.g. unitdp=4 – (Unit Decimal Places) You can opt in to use four decimal places for unit amounts", for these alone. */
for (const [path, idName] of [
  ["Invoices", "InvoiceID"],
  ["CreditNotes", "CreditNoteID"],
  ["BankTransactions", "BankTransactionID"],
  ["Items", "ItemID"],
] as const)
  test(`${path} are read and written with four decimals of the unit amount, none of which is rounded`, async () => {
    const answer = { status: 200, body: { [path]: [{ [idName]: ID, StatusAttributeString: "OK" }] } };
    const { fetch, requests } = replay(...Array.from({ length: 6 }, () => answer));
    await read.readPage(planRead(path), undefined, fetch);
    await read.readByIds(planRead(path), [ID], fetch);
    const fields = { LineItems: [{ UnitAmount: 0.1234 }] };
    await write.write(orderWrite(path, "create", { fields }), fetch);
    await write.write(orderWrite(path, "update", { id: ID, fields }), fetch);
    assert.ok(requests.length >= 4);
    for (const { path: address } of requests) {
      const { searchParams } = new URL(address, "https://api.xero.com");
      assert.equal(searchParams.get("unitdp"), "4", address);
    }
  });

/** XeroAPI/Xero-OpenAPI#163 (2020-03-11): "the API doesn't return usable JSON data. Instead it returns a string". */
test("a record that is gone is not found, although Xero says so in plain words, of whatever type", async () => {
  for (const type of ["text/html; charset=utf-8", "text/plain", "application/json"]) {
    const gone = () => ({
      status: 404,
      headers: { "content-type": type },
      body: "The resource you're looking for cannot be found",
    });
    assert.deepEqual(await read.readByIds(planRead("Contacts"), [ID], replay(gone()).fetch), []);
    const order = orderWrite("Contacts", "update", { id: ID, fields: { Name: "Ada" } });
    const [outcome] = (await write.write(order, replay(gone()).fetch)).outcomes;
    assert.ok(outcome?.success === false && outcome.error.kind === "not_found", type);
    assert.match(outcome.error.message, /cannot be found/);
  }
});

test("a page of something in between is no record that is gone", async () => {
  const page = {
    status: 404,
    headers: { "content-type": "text/html" },
    body: "<html>The resource you're looking for cannot be found</html>",
  };
  await assert.rejects(read.readByIds(planRead("Contacts"), [ID], replay(page).fetch), {
    kind: "unavailable",
  });
});
