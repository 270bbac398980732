/** The export of the audit. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { writeAuditCsv } from "./write-audit-csv.ts";

test("names with commas, quotes and formulas stay one cell of text", () => {
  const csv = writeAuditCsv([
    {
      id: "1",
      time: "2026-01-02T03:04:05Z",
      actor: { kind: "person", id: "b1", name: '=cmd("x")' },
      operationId: "updateProject",
      target: { kind: "project", id: "p1", name: "a, b" },
      changed: ["appName", "production"],
      requestId: "r1",
    },
  ]);
  const [head, row] = csv.split("\r\n");
  assert.match(head ?? "", /^time,actorKind,/);
  assert.equal(
    row,
    `2026-01-02T03:04:05Z,person,b1,"'=cmd(""x"")",updateProject,,project,p1,"a, b",appName production,r1`,
  );
});
