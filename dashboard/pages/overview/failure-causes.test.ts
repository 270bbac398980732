/** Failures of one cause are one line, whatever record they were about. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { countFailureCauses } from "./failure-causes.ts";

test("failures that differ in ids, addresses and quoted values are one cause, which the list's filter finds", () => {
  const of = (result: string) => ({
    integrationName: "crm",
    resource: "contacts",
    result,
    createTime: "2026-01-01T00:00:00Z",
  });
  const causes = countFailureCauses([
    of("[contacts] No record 4711 in the account"),
    of('[contacts] Value of "email" is taken by ada@example.com'),
    of("[contacts] No record 9af3-22 in the account"),
  ]);
  assert.deepEqual(
    causes.map(({ words, count, text }) => [words, count, text]),
    [
      ["[contacts] No record … in the account", 2, "[contacts] No record"],
      ["[contacts] Value of … is taken by …", 1, "[contacts] Value of"],
    ],
  );
});
