/** Salesforce writes of one record: when the write and the read-back cannot go in one composite request. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { RecordWrite } from "../../connector-kit/connector.ts";
import { replay } from "../../connector-kit/testing/replay.ts";
import { write } from "./write.ts";

/**
 * REST API Developer Guide, Composite Subrequest (read 2026-11-28): `@{referenceId.FieldName}` in the body of a part is replaced by what another
 * part answered, and refused if there is no such part.
 */
test("a value that looks like a reference of a composite request is written as it is", async () => {
  const fields = { LastName: "@{home}", Description: "ping @{write.id}" };
  const provider = replay(
    { status: 201, body: { id: "003ak00000jvIfpAAE", success: true, errors: [] } },
    { status: 200, body: {} },
  );
  const order: RecordWrite = {
    objectName: "Contact",
    type: "create",
    batch: false,
    records: [{ fields }],
    allOrNone: false,
    headers: {},
  };
  await write.write(order, provider.fetch);
  const [sent] = provider.requests;
  assert.deepEqual([sent?.path, sent?.body], ["/services/data/v60.0/sobjects/Contact", fields]);
  assert.deepEqual(
    write.prepare(order).map(({ path }) => path.split("?")[0]),
    ["/services/data/v60.0/sobjects/Contact", "/services/data/v60.0/sobjects/Contact/{id}"],
  );
});
