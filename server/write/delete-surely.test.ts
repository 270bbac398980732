/** A delete whose answer was cut is done, or told as unknown: never as a record that was not found. */
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { shareTestBusbar } from "../../tests/harness/busbar.ts";
import { connectCustomer, type Customer } from "../../tests/harness/connect-customer.ts";
import type { RecordOutcome, RecordWrite } from "../../connector-kit/connector.ts";
import { ProviderError, type ProviderErrorKind } from "../../connector-kit/calls/provider-error.ts";
import { deleteSurely } from "./delete-surely.ts";

const OBJECTS = { hubspot: "companies", salesforce: "Contact" } as const;
const RECORDS = { hubspot: { name: "Engines" }, salesforce: { LastName: "Lovelace" } } as const;

const busbar = await shareTestBusbar();

describe("a delete whose answer is cut", () => {
  const customers = new Map<string, Customer>();
  before(async () => {
    for (const provider of ["hubspot", "salesforce"] as const) {
      busbar.sandbox[provider].setLimits("off");
      const object = OBJECTS[provider];
      const content = {
        write: { objects: { [object]: { objectName: object, deletionSettings: { enabled: true } } } },
      };
      customers.set(
        provider,
        await connectCustomer(busbar, { provider, objects: [object], groupRef: provider, content }),
      );
    }
  });

  for (const provider of ["hubspot", "salesforce"] as const) {
    const begin = async () => {
      busbar.sandbox.clearFaults();
      const customer = customers.get(provider);
      if (!customer) throw new Error("not connected");
      const { result } = await customer.succeed(OBJECTS[provider], {
        type: "create",
        record: RECORDS[provider],
      });
      const remove = () =>
        customer.write(OBJECTS[provider], { type: "delete", record: { id: result.recordId } });
      return { id: result.recordId, remove };
    };

    test(`is done after a look whether the record is gone: ${provider}`, async () => {
      const { id, remove } = await begin();
      busbar.sandbox.addFault({ provider, method: "DELETE", reset: "after" });
      const { status, body, text } = await remove();
      assert.equal(status, 200, text);
      assert.deepEqual(body.result, { success: true, recordId: id });
      const { status: ended } = (await busbar.inProject("GET", `/operations/${body.operationId}`)).body;
      assert.equal(ended, "success");
    });

    test(`is done where the provider did not get it at first: ${provider}`, async () => {
      const { remove } = await begin();
      busbar.sandbox.addFault({ provider, method: "DELETE", reset: "before" });
      assert.equal((await remove()).status, 200);
    });

    test(`says that it may be done where no answer came at all: ${provider}`, async () => {
      const { remove } = await begin();
      busbar.sandbox.addFault({ provider, method: "DELETE", reset: "after", count: 2 });
      const { status, body } = await remove();
      assert.equal(status, 502);
      assert.match(body.detail, /may have been deleted/);
    });
  }

  test("of a record that is not there is a refusal, as before", async () => {
    const customer = customers.get("salesforce");
    const record = { id: "003000000000001AAA" };
    const answer = await customer?.write("Contact", { type: "delete", record });
    assert.equal(answer?.status, 422);
    assert.match(answer?.body.type, /record-not-found$/);
  });
});

test("of a batch, only the records without a clear answer are sent again", async () => {
  const fail = (kind: ProviderErrorKind): RecordOutcome => ({
    success: false,
    error: new ProviderError({ kind, message: kind }),
  });
  const sent: unknown[] = [];
  const answers: RecordOutcome[][] = [
    [fail("not_found"), { success: true, recordId: "2" }, fail("unavailable"), fail("unavailable")],
    [fail("not_found"), fail("invalid")],
  ];
  const connector = {
    async write({ records }: RecordWrite) {
      sent.push(records.map(({ id }) => id));
      return { outcomes: answers.shift() ?? [], warnings: [] };
    },
  };
  const records = ["1", "2", "3", "4"].map((id) => ({ id, fields: {} }));
  const order: RecordWrite = {
    objectName: "companies",
    type: "delete",
    batch: true,
    records,
    allOrNone: false,
    headers: {},
  };
  const { outcomes } = await deleteSurely(connector, order, () => Promise.reject(new Error("not called")));
  assert.deepEqual(sent, [
    ["1", "2", "3", "4"],
    ["3", "4"],
  ]);
  assert.deepEqual(
    outcomes.map((outcome) => (outcome.success ? outcome.recordId : outcome.error.kind)),
    ["not_found", "2", "3", "invalid"],
  );
});
