/** Okta's System Log, from which deletions are read. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { replay } from "../../connector-kit/testing/replay.ts";
import { CONNECTORS } from "../connectors.gen.ts";

const { read } = CONNECTORS["okta"] ?? {};
assert.ok(read);

const DAY_MS = 86_400_000;
const until = new Date();
const period = { objectName: "users", since: new Date(until.getTime() - DAY_MS), until };

/** The members of `LogEvent` and `LogTarget` in the vendor's OpenAPI file 2026.06.3. */
const deletion = (id: string, published: string, type = "User") => ({
  uuid: "24a3eb81-18a1-4f7d-8a61-2a1b3c4d5e6f",
  published,
  eventType: "user.lifecycle.delete.completed",
  outcome: { result: "SUCCESS" },
  target: [{ id, type, alternateId: "ada@example.com", displayName: "Ada Quill" }],
});

// okta/okta-developer-docs, "System Log query": a query without `until` has a next page for ever; `since` and `until` make it a bounded one.
test("deletions of users are read from the System Log, within bounds, to its last page", async () => {
  const next = "https://acme.okta.com/api/v1/logs?after=349996bd&limit=1000";
  const { fetch, requests } = replay(
    {
      status: 200,
      headers: { link: `<https://acme.okta.com/api/v1/logs>; rel="self", <${next}>; rel="next"` },
      body: [
        deletion("00u1abcd", period.since.toISOString()),
        deletion("0oa9", until.toISOString(), "AppInstance"),
      ],
    },
    {
      status: 200,
      headers: { link: '<https://acme.okta.com/api/v1/logs>; rel="self"' },
      body: [deletion("00u2abcd", until.toISOString())],
    },
  );
  const first = await read.readDeletions(period, undefined, fetch);
  const second = await read.readDeletions(period, first.next, fetch);
  assert.deepEqual(
    [...first.records, ...second.records].map(({ id }) => id),
    ["00u1abcd", "00u2abcd"],
  );
  assert.equal(second.next, undefined);
  const asked = new URL(requests[0]?.path ?? "", "https://acme.okta.com").searchParams;
  assert.deepEqual(Object.fromEntries(asked), {
    filter: 'eventType eq "user.lifecycle.delete.completed" and outcome.result eq "SUCCESS"',
    limit: "1000",
    since: period.since.toISOString(),
    until: until.toISOString(),
  });
});

test("deletions of groups have an event of their own, and the log is asked for its 90 days at most", async () => {
  const { fetch, requests } = replay({ status: 200, body: [] });
  const early = new Date(until.getTime() - 200 * DAY_MS);
  const { warning } = await read.readDeletions(
    { ...period, objectName: "groups", since: early },
    undefined,
    fetch,
  );
  const asked = new URL(requests[0]?.path ?? "", "https://acme.okta.com").searchParams;
  assert.match(asked.get("filter") ?? "", /^eventType eq "group\.lifecycle\.delete" /);
  assert.ok(Date.parse(asked.get("since") ?? "") > until.getTime() - 90 * DAY_MS);
  assert.match(warning ?? "", /deletions of groups before/);
});

// The answer `ErrorAccessDenied403` of the vendor's OpenAPI file, to a token without `okta.logs.read`.
test("a token without the scope of the log reads no deletions, and the read says so", async () => {
  const { fetch } = replay({
    status: 403,
    body: {
      errorCode: "E0000006",
      errorSummary: "You do not have permission to perform the requested action",
      errorLink: "E0000006",
      errorId: "sampleNUSD_8fdkFd8fs8SDBK",
      errorCauses: [],
    },
  });
  const page = await read.readDeletions(period, undefined, fetch);
  assert.deepEqual([page.records, page.next], [[], undefined]);
  assert.match(page.warning ?? "", /deletions of users are not read.*You do not have permission/);
});
