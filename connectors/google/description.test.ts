/** Google Calendar's requests and answers as its documentation shows them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { orderWrite, planRead } from "../../connector-kit/testing/order-fixture.ts";
import { replay } from "../../connector-kit/testing/replay.ts";
import { nowMs } from "../../ground/clock.ts";
import { buildCatalog } from "../catalog.ts";
import { CONNECTORS } from "../connectors.gen.ts";

const { read, write, fields } = CONNECTORS["google"] ?? {};
assert.ok(read && write && fields);

const event = {
  kind: "calendar#event",
  etag: '"3181161784712000"',
  id: "4eahs9ghkhrvkld72hogu9ph3e_20261121T100000Z",
  status: "confirmed",
  updated: "2026-11-20T09:00:00.000Z",
  summary: "Pens",
  start: { dateTime: "2026-11-21T10:00:00Z" },
  end: { dateTime: "2026-11-21T11:00:00Z" },
};

const refusal = (code: number, reason: string, message: string) => ({
  status: code,
  body: { error: { errors: [{ domain: "usageLimits", reason, message }], code, message } },
});

test("an update names only what changes, and invites nobody", async () => {
  const { fetch, requests } = replay({ status: 200, body: event });
  const fields = { summary: "Pens" };
  const { outcomes } = await write.write(orderWrite("events", "update", { id: event.id, fields }), fetch);
  assert.ok(outcomes[0]?.success && outcomes[0].recordId === event.id);
  assert.deepEqual(requests, [
    {
      method: "PATCH",
      path: `/calendar/v3/calendars/primary/events/${event.id}?sendUpdates=none&conferenceDataVersion=1&supportsAttachments=true`,
      body: fields,
      repeatable: true,
    },
  ]);
});

/** Google's discovery document: "Version 0 assumes no conference data support and ignores conference data in the event's body. […] The default is 0." */
/** Discovery document, revision 20260708: set only where `eventLabelVersion=1` says so, with which `colorId` is ignored. */
test("the label of an event is told as read only, its color is not", async () => {
  const described = await fields.describe("events", replay().fetch);
  const { eventLabelId, colorId } = described.fields;
  assert.deepEqual([eventLabelId?.readOnly, colorId?.readOnly], [true, false]);
});

test("a conference and attachments in the fields are not ignored", async () => {
  const { fetch, requests } = replay({ status: 200, body: event });
  const fields = { summary: "Pens", conferenceData: { createRequest: { requestId: "c1" } }, attachments: [] };
  await write.write(orderWrite("events", "create", { fields }), fetch);
  await write.write(orderWrite("events", "update", { id: event.id, fields }), fetch);
  for (const { method, path } of requests.filter((request) => request.method !== "GET")) {
    const { searchParams } = new URL(path, "https://x.invalid");
    assert.equal(searchParams.get("conferenceDataVersion"), "1", method);
    assert.equal(searchParams.get("supportsAttachments"), "true", method);
  }
});

test("lists go on by the page's token, with the bound of the last change", async () => {
  const since = new Date(Math.floor(nowMs() / 1000) * 1000 - 3_600_000);
  const { fetch, requests } = replay({
    status: 200,
    body: {
      kind: "calendar#events",
      nextPageToken: "GgA",
      items: [{ ...event, updated: since.toISOString() }],
    },
  });
  const page = await read.readPage(planRead("events", { since, pageSize: 2 }), { place: "CgQI" }, fetch);
  assert.deepEqual(page.records[0]?.changeTime, since);
  assert.equal(page.next?.["place"], "GgA");
  const url = new URL(requests[0]?.path ?? "", "https://x.invalid");
  assert.equal(url.pathname, "/calendar/v3/calendars/primary/events");
  assert.deepEqual(Object.fromEntries(url.searchParams), {
    showHiddenInvitations: "true",
    showDeleted: "true",
    maxResults: "2",
    updatedMin: since.toISOString(),
    pageToken: "CgQI",
  });
});

test("a bound that Google would refuse as too old is not sent, and the events are compared here", async () => {
  const day = 86_400_000;
  const at = (days: number) => new Date(nowMs() - days * day).toISOString();
  const { fetch, requests } = replay({
    status: 200,
    body: {
      items: [
        { ...event, id: "old", updated: at(40) },
        { ...event, id: "new", updated: at(10) },
      ],
    },
  });
  const asked = planRead("events", { since: new Date(nowMs() - 30 * day) });
  const { records } = await read.readPage(asked, undefined, fetch);
  assert.deepEqual(
    records.map(({ id }) => id),
    ["new"],
  );
  assert.doesNotMatch(requests[0]?.path ?? "", /updatedMin/);
});

test("deletions since a bound that Google would refuse as too old are reported", async () => {
  const at = (days: number) => new Date(nowMs() - days * 86_400_000);
  const cancelled = { ...event, status: "cancelled", updated: at(25).toISOString() };
  const { fetch, requests } = replay({
    status: 200,
    body: { items: [cancelled, { ...event, id: "other" }] },
  });
  const period = { objectName: "events", since: at(30), until: at(0) };
  const { records } = await read.readDeletions(period, undefined, fetch);
  assert.match(requests[0]?.path ?? "", /showDeleted=true/);
  assert.deepEqual(
    records.map(({ id }) => id),
    [event.id],
  );
});

test("calendars that left the list are reported as deletions, and are not among the records", async () => {
  const left = { id: "old@group.calendar.google.com", deleted: true };
  const answer = { status: 200, body: { items: [{ id: "ada@example.com" }, left] } };
  const { fetch, requests } = replay(answer, answer);
  const { records } = await read.readPage(planRead("calendars"), undefined, fetch);
  const period = { objectName: "calendars", since: new Date(nowMs() - 3_600_000), until: new Date(nowMs()) };
  const { records: deleted } = await read.readDeletions(period, undefined, fetch);
  for (const { path } of requests) assert.match(path, /showDeleted=true/);
  assert.deepEqual(
    [records, deleted].map((list) => list.map(({ id }) => id)),
    [["ada@example.com"], [left.id]],
  );
});

test("another calendar is an object by its own id, and no name leads out of the calendars", () => {
  const { path } = read.preparePage(planRead("c_1a2b@group.calendar.google.com"));
  assert.match(path, /^\/calendar\/v3\/calendars\/c_1a2b@group\.calendar\.google\.com\/events\?/);
  for (const name of ["../users@x.com", "a/b@x.com", "a?b@x.com", "a@x.com/../..", "a%2f@x.com"])
    assert.throws(() => read.preparePage(planRead(name)), { kind: "invalid" });
});

test("a rate limit has the status 403, as a missing permission has", async () => {
  const kinds = [];
  for (const reason of ["rateLimitExceeded", "userRateLimitExceeded", "insufficientPermissions"]) {
    const { fetch } = replay(refusal(403, reason, "no"));
    kinds.push(
      await read.readPage(planRead("events"), undefined, fetch).catch(({ kind }: { kind: string }) => kind),
    );
  }
  assert.deepEqual(kinds, ["rate_limited", "rate_limited", "forbidden"]);
});

test("an event that was deleted already is a success with a warning", async () => {
  const { fetch } = replay(refusal(410, "deleted", "Resource has been deleted"));
  const { outcomes, warnings } = await write.write(
    orderWrite("events", "delete", { id: event.id, fields: {} }),
    fetch,
  );
  assert.ok(outcomes[0]?.success && warnings.length === 1);
});

test("only the calendar is written to and read: contacts and mail are on other hosts", () => {
  const catalog = buildCatalog();
  assert.equal(catalog.built("google", "write", "calendar"), true);
  assert.equal(catalog.built("google", "read", "gmail"), false);
  assert.equal(catalog.built("google", "write", "contacts"), false);
});
