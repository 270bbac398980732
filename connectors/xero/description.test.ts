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
