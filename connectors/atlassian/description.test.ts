/** Jira's search for issues: what changed, and a list that Jira cuts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { planRead } from "../../connector-kit/testing/order-fixture.ts";
import { replay } from "../../connector-kit/testing/replay.ts";
import { CONNECTORS } from "../connectors.gen.ts";

const { read } = CONNECTORS["atlassian"] ?? {};
assert.ok(read);

const askedFor = async (since?: Date): Promise<string | null> => {
  const { fetch, requests } = replay({ status: 200, body: { issues: [], isLast: true } });
  await read.readPage({ ...planRead("issue"), ...(since && { since }) }, undefined, fetch);
  return new URL(requests[0]?.path ?? "", "https://acme.example").searchParams.get("jql");
};

// Jira's page of times in JQL: a number without quotes is milliseconds since 1970, whatever the zone of the user.
test("changes are asked for in milliseconds since 1970", async () => {
  assert.equal(await askedFor(), "project is not EMPTY ORDER BY created ASC");
  assert.equal(
    await askedFor(new Date("2024-11-29T10:44:51.000Z")),
    "updated >= 1732877091000 AND project is not EMPTY ORDER BY created ASC",
  );
});

// The answer has its warnings as the vendor's OpenAPI file describes `SearchWarning` (jira.js 6.2.0): a search that was cut is a success, too.
test("a search whose result Jira has cut is a failure that says so", async () => {
  const warning = { type: "INGESTION_LIMIT", message: "The result set was truncated." };
  const body = { issues: [{ id: "10001", fields: {} }], isLast: true, warnings: [warning] };
  const { fetch } = replay({ status: 200, body });
  await assert.rejects(
    read.readPage(planRead("issue"), undefined, fetch),
    /ended the list before its end: .*The result set was truncated/,
  );
  const whole = replay({ status: 200, body: { ...body, warnings: [] } });
  assert.equal((await read.readPage(planRead("issue"), undefined, whole.fetch)).records.length, 1);
});

// "Warnings generated during the search, e.g. when a JQL clause exceeded its argument limit" (the same file; the type is its example).
test("a warning about something else ends no read: its words are for the log", async () => {
  const warning = { type: "CLAUSE_LIMIT_EXCEEDED", message: "The value 'x' is archived." };
  const body = { issues: [{ id: "10001", fields: {} }], isLast: true, warnings: [warning] };
  const page = await read.readPage(planRead("issue"), undefined, replay({ status: 200, body }).fetch);
  assert.equal(page.records.length, 1);
  assert.match(page.warning ?? "", /The value 'x' is archived/);
});

test("a cut that is told beside another warning is a failure", async () => {
  const other = { type: "CLAUSE_LIMIT_EXCEEDED", message: "The value 'x' is archived." };
  const cut = { type: "INGESTION_LIMIT", message: "The result set was truncated." };
  const body = { issues: [{ id: "10001", fields: {} }], isLast: true, warnings: [other, cut] };
  const { fetch } = replay({ status: 200, body });
  await assert.rejects(read.readPage(planRead("issue"), undefined, fetch), /The result set was truncated/);
});

// "When the result set was truncated due to an ingestion limit" (the same file): which of the words the type or the message has, it does not say.
test("a cut is known by either word of the vendor's description, in the type or in the message", async () => {
  for (const warning of [
    { type: "INGESTION_LIMIT", message: "Only some of the issues were searched." },
    { type: "SEARCH_LIMIT", message: "The result set was truncated." },
  ]) {
    const body = { issues: [{ id: "10001", fields: {} }], isLast: true, warnings: [warning] };
    const { fetch } = replay({ status: 200, body });
    await assert.rejects(read.readPage(planRead("issue"), undefined, fetch), new RegExp(warning.type));
  }
});
