import assert from "node:assert/strict";
import { test } from "node:test";
import type { RecordToWrite, RecordWrite } from "../connector.ts";
import { ProviderError } from "./provider-error.ts";
import { writeSingly } from "./write-singly.ts";

const write = (type: RecordWrite["type"], ids: string[]): RecordWrite => ({
  objectName: "contacts",
  type,
  batch: false,
  records: ids.map((id) => ({ id, fields: {} })),
  allOrNone: false,
  headers: {},
});
const error = (kind: ProviderError["kind"], rawResponse?: string) =>
  new ProviderError({ kind, message: kind, rawResponse });
const findFault = ({ id }: RecordToWrite) => (id === "bad" ? error("invalid") : undefined);
const written = ({ id }: RecordToWrite) => ({ outcome: { success: true, recordId: id } as const });

test("a record with a fault is not sent, and the others are", async () => {
  const sent: (string | undefined)[] = [];
  const send = (record: RecordToWrite) => {
    sent.push(record.id);
    return Promise.resolve(written(record));
  };
  const { outcomes } = await writeSingly(write("update", ["1", "bad", "2"]), { findFault, send });
  assert.deepEqual(sent, ["1", "2"]);
  assert.deepEqual(
    outcomes.map(({ success }) => success),
    [true, false, true],
  );
});

test("after a record was written, a failed call ends the write with an outcome for each record", async () => {
  const sent: (string | undefined)[] = [];
  const send = (record: RecordToWrite) => {
    sent.push(record.id);
    return record.id === "2" ? Promise.reject(error("unavailable")) : Promise.resolve(written(record));
  };
  const { outcomes } = await writeSingly(write("update", ["1", "2", "3"]), { findFault, send });
  assert.deepEqual(sent, ["1", "2"]);
  assert.deepEqual(
    outcomes.map((outcome) => (outcome.success ? "written" : outcome.error.kind)),
    ["written", "unavailable", "unavailable"],
  );
  await assert.rejects(writeSingly(write("update", ["2", "1"]), { findFault, send }), ProviderError);
});

test("warnings and the body of a refusal reach the caller", async () => {
  const result = await writeSingly(write("update", ["1", "2", "3"]), {
    findFault,
    send: (record) =>
      Promise.resolve(
        record.id === "2"
          ? { outcome: { success: false, error: error("invalid", "no") } }
          : { ...written(record), warning: `w${record.id}` },
      ),
  });
  assert.deepEqual(result.warnings, ["w1", "w3"]);
  assert.equal(result.rawResponse, "no");
});
