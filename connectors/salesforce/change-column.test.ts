/** The column by which changes of a Salesforce object are found, and how its times are read. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ObjectMetadata } from "../../connector-kit/fields.ts";
import { changeColumn } from "./change-column.ts";
import { readTime } from "./source-record.ts";

const withColumns = (...names: string[]): ObjectMetadata => ({
  name: "LoginHistory",
  displayName: "Login History",
  fields: Object.fromEntries(
    names.map((name) => [
      name,
      {
        fieldName: name,
        displayName: name,
        valueType: "datetime",
        providerType: "datetime",
        readOnly: true,
        isCustom: false,
        isRequired: false,
      },
    ]),
  ),
});

// Object Reference, LoginHistory (read 2026-11-28): it has LoginTime, and none of the audit fields.
test("sign-ins are found by their time, the only one that they have", () => {
  assert.equal(changeColumn("LoginHistory", withColumns("Id", "LoginTime", "Status")), "LoginTime");
  assert.equal(changeColumn("LoginHistory", withColumns("Id", "Status")), undefined);
});

test("a time keeps its milliseconds", () => {
  assert.equal(readTime("2026-11-20T08:01:02.123+0000")?.toISOString(), "2026-11-20T08:01:02.123Z");
});
