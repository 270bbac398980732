/** Plain writes of one record: where Salesforce has no composite resource, and where the caller has headers. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { orderWrite } from "../../connector-kit/testing/order-fixture.ts";
import { replay } from "../../connector-kit/testing/replay.ts";
import { write } from "./write.ts";

const ADA = "003ak00000jvIfpAAE";
const attributes = { type: "Contact", url: `/services/data/v60.0/sobjects/Contact/${ADA}` };
const create = orderWrite("Contact", "create", { fields: { LastName: "Byron" } });

/** Status codes of the REST guide (v60): 404 "could not be found", 405 "isn't allowed for the resource"; all others are answers of it. */
test("where the composite resource does not exist, the plain ones are used", async () => {
  for (const [status, errorCode] of [
    [404, "NOT_FOUND"],
    [405, "METHOD_NOT_ALLOWED"],
  ] as const) {
    const provider = replay(
      { status, body: [{ errorCode, message: "The requested resource does not exist" }] },
      { status: 201, body: { id: ADA, success: true, errors: [] } },
      { status: 200, body: { attributes, Id: ADA, LastName: "Byron" } },
    );
    const result = await write.write(create, provider.fetch);
    assert.deepEqual(result.outcomes, [
      { success: true, recordId: ADA, data: { Id: ADA, LastName: "Byron" } },
    ]);
  }
});

test("a dry run of a plain create shows where the record is read back, under an id that is not known yet", () => {
  const order = { ...create, headers: { "Sforce-Mru": "updateMru=true" } };
  assert.deepEqual(
    write.prepare(order).map(({ method, path }) => [method, path]),
    [
      ["POST", "/services/data/v60.0/sobjects/Contact"],
      ["GET", "/services/data/v60.0/sobjects/Contact/{id}?fields=Id,LastName"],
    ],
  );
});
