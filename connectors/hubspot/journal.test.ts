/** HubSpot's journal: its events in the words of pushes, its files, and what is subscribed to. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProviderFetch, ProviderRequest } from "../../connector-kit/calls/provider-fetch.ts";
import { LostPositionError } from "../../connector-kit/stream-connector.ts";
import { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import { readJournalEvent, readJournalFile } from "./journal-event.ts";
import { journal } from "./journal.ts";
import { subscribe } from "./subscribe.ts";

const BASE = { portalId: 4100410, occurredAt: "2026-09-14T09:20:02.000Z" };
const event = (members: object) => readJournalEvent(JSON.stringify({ ...BASE, ...members }));

test("events have the words of pushes, their record and all changed fields", () => {
  const contact = { objectTypeId: "0-1", objectId: 501 };
  const update = event({ ...contact, action: "UPDATE", propertyChanges: { email: "a@x", phone: null } });
  assert.deepEqual(
    { ...update, raw: undefined, dedupeKey: undefined },
    {
      accountRef: "4100410",
      objectKey: "0-1",
      type: "update",
      providerEventType: "object.propertyChange",
      recordId: "501",
      occurredTime: new Date("2026-09-14T09:20:02Z"),
      changedFields: ["email", "phone"],
      dedupeKey: undefined,
      raw: undefined,
      report: { way: "journal", changes: ["property email", "property phone"] },
    },
  );
  const words = ["CREATE", "DELETE", "MERGE", "RESTORE", "GDPR_DELETE"].map((action) => {
    const { type, providerEventType, erases } = event({ ...contact, action }) ?? {};
    return [type, providerEventType, erases];
  });
  assert.deepEqual(words, [
    ["create", "object.creation", undefined],
    ["delete", "object.deletion", undefined],
    ["other", "object.merge", undefined],
    ["other", "object.restore", undefined],
    ["delete", "contact.privacyDeletion", true],
  ]);
  const ends = { fromObjectTypeId: "0-1", fromObjectId: 501, toObjectTypeId: "0-2", toObjectId: 601 };
  const linked = event({ ...ends, action: "ASSOCIATION_REMOVED" });
  assert.deepEqual(
    [linked?.type, linked?.recordId, linked?.to],
    ["associationUpdate", "501", { id: "601", objectKey: "0-2", objectName: "companies" }],
  );
});

test("a change has the same words in the journal as in a push", () => {
  const pushed = (members: object) =>
    subscribe.readEvent(JSON.stringify({ portalId: 4100410, objectId: 501, objectTypeId: "0-1", ...members }))
      ?.report?.changes;
  const contact = { objectTypeId: "0-1", objectId: 501 };
  const ends = { fromObjectTypeId: "0-1", fromObjectId: 501, toObjectTypeId: "0-2", toObjectId: 601 };
  const both: [object, object][] = [
    [
      { ...contact, action: "UPDATE", propertyChanges: { email: "a@x" } },
      { subscriptionType: "contact.propertyChange", propertyName: "email" },
    ],
    [
      { ...contact, action: "CREATE", propertyChanges: { email: "a@x" } },
      { subscriptionType: "object.creation" },
    ],
    [{ ...contact, action: "DELETE" }, { subscriptionType: "contact.deletion" }],
    [
      { ...contact, action: "MERGE" },
      { subscriptionType: "contact.merge", newObjectId: 501 },
    ],
    [{ ...contact, action: "RESTORE" }, { subscriptionType: "object.restore" }],
    [{ ...contact, action: "GDPR_DELETE" }, { subscriptionType: "contact.privacyDeletion" }],
    [
      { ...ends, action: "ASSOCIATION_ADDED" },
      {
        subscriptionType: "contact.associationChange",
        fromObjectId: 501,
        toObjectId: 601,
        associationType: "CONTACT_TO_COMPANY",
        associationRemoved: false,
      },
    ],
    [
      { ...ends, action: "ASSOCIATION_REMOVED" },
      { ...ends, subscriptionType: "object.associationChange", associationRemoved: true },
    ],
  ];
  for (const [inJournal, push] of both) {
    const words = event(inJournal)?.report?.changes;
    assert.equal(words?.length, 1);
    assert.deepEqual(pushed(push), words);
  }
});

test("what concerns no record, or names none, is no event", () => {
  for (const members of [
    { type: "app_lifecycle_event", eventTypeId: "4-1916193" },
    { action: "UPDATE", objectTypeId: "0-1" },
    { action: "UPDATE", objectTypeId: "0-1", objectId: "x" },
    { action: "CREATE", objectTypeId: "contact list", objectId: 1 },
    { action: "toString", objectTypeId: "0-1", objectId: 1 },
  ]) {
    assert.equal(event(members), undefined, JSON.stringify(members));
  }
});

test("the events of a file keep their texts, digits included, and are told apart by their places", () => {
  const one = '{"portalId":4100410,"action":"CREATE","objectTypeId":"0-1","objectId":90071992547409931}';
  const events = readJournalFile(
    `{"offset":"o1", "journalEvents" : [${one},${one}], "publishedAt":"]"}`,
    "o1",
  );
  assert.deepEqual(
    events?.map(({ recordId, raw }) => [recordId, raw]),
    [
      ["90071992547409931", one],
      ["90071992547409931", one],
    ],
  );
  assert.notEqual(events[0]?.dedupeKey, events[1]?.dedupeKey);
  // The inbox gives the text back.
  assert.equal(subscribe.readEvent(one)?.recordId, "90071992547409931");
  for (const text of ["", "[]", "{}", '{"journalEvents":{}}', '{"journalEvents":[', "x"]) {
    assert.equal(readJournalFile(text, "o1"), undefined, text);
  }
});

const answering =
  (answers: Record<string, [number, string]>, sent: ProviderRequest[] = []): ProviderFetch =>
  async (request) => {
    sent.push(request);
    const [status, text] = answers[`${request.method} ${request.path}`] ?? [500, ""];
    return { status, headers: {}, text };
  };

const JOURNAL = "GET /webhooks-journal/journal/2026-03";

test("a position is moved by every file; one that cannot be read becomes a gap", async () => {
  const entry = JSON.stringify({ url: "https://files.example/1", expiresAt: "", currentOffset: "o2" });
  const calls = (text: string | Error) => ({
    fetch: answering({ [`${JOURNAL}/offset/o1/next`]: [200, entry], [`${JOURNAL}/latest`]: [200, entry] }),
    async download() {
      if (text instanceof Error) throw text;
      return text;
    },
  });
  const from = Buffer.from("o1");
  const read = await journal.readNext(from, calls('{"journalEvents":[]}'));
  assert.deepEqual([read.events, read.gaps, read.position.toString(), read.isLast], [[], [], "o2", false]);
  const tooLarge = new ProviderError({ kind: "unreadable", message: "too large" });
  for (const text of ["<html>", tooLarge]) {
    const broken = await journal.readNext(from, calls(text));
    assert.equal(broken.position.toString(), "o2");
    assert.match(broken.gaps[0]?.reason ?? "", /o2.*cannot be read/);
  }
  const gone = new ProviderError({ kind: "unavailable", message: "403" });
  await assert.rejects(journal.readNext(from, calls(gone)), gone);
  const latest = await journal.readNext("now", calls(gone));
  assert.deepEqual([latest.position.toString(), latest.isLast], ["o2", true]);
});

test("nothing new ends the reading; an offset that is gone is a lost position", async () => {
  const download = async () => "";
  const at = (answers: Record<string, [number, string]>) => ({ fetch: answering(answers), download });
  const nothing = await journal.readNext("oldest", at({ [`${JOURNAL}/earliest`]: [204, ""] }));
  assert.deepEqual([nothing.position.length, nothing.isLast], [0, true]);
  const lost = at({ [`${JOURNAL}/offset/o1/next`]: [404, '{"status":"error","message":"no"}'] });
  await assert.rejects(journal.readNext(Buffer.from("o1"), lost), LostPositionError);
});

test("an object is subscribed to with its fields; a subscription that exists is accepted", async () => {
  const sent: ProviderRequest[] = [];
  const path = "/webhooks-journal/subscriptions/2026-03";
  const fetch = answering(
    { [`POST ${path}`]: [409, '{"status":"error","message":"exists","category":"CONFLICT"}'] },
    sent,
  );
  const wanted = {
    accountRef: "4100410",
    objectKey: "0-1",
    create: true,
    delete: true,
    associationChange: true,
  };
  await journal.select({ ...wanted, other: ["contact.merged", "restore"], fields: ["email"] }, fetch);
  const base = { portalId: 4100410, objectTypeId: "0-1" };
  const actions = ["CREATE", "UPDATE", "DELETE", "MERGE", "RESTORE"];
  assert.deepEqual(
    sent.map(({ body }) => body),
    [
      { subscriptionType: "OBJECT", ...base, actions, properties: ["email"] },
      {
        subscriptionType: "ASSOCIATION",
        ...base,
        actions: ["ASSOCIATION_ADDED", "ASSOCIATION_REMOVED"],
        associatedObjectTypeIds: [],
      },
      { subscriptionType: "GDPR_PRIVACY_DELETION", ...base, actions: ["GDPR_DELETE"] },
    ],
  );
  const conversation = { ...wanted, objectKey: "conversation", other: [], fields: [] };
  await assert.rejects(journal.select(conversation, fetch), /no changes of `conversation`/);
});

test("the journal's token has every scope with which the app may read objects", () => {
  // HubSpot's API description 2026-03: `security` of tickets, and of objects with sensitive properties.
  const readable = [
    "tickets",
    "tickets.sensitive.v2",
    "crm.objects.contacts.read",
    "crm.objects.contacts.sensitive.read.v2",
    "crm.objects.contacts.highly_sensitive.read.v2",
    "crm.objects.projects.sensitive.read",
  ];
  const others = [
    "oauth",
    "crm.objects.contacts.write",
    "crm.objects.contacts.sensitive.write.v2",
    "crm.lists.read",
  ];
  const scopes = journal.tokenScopes([...readable, ...others]);
  assert.deepEqual(
    scopes.filter((scope) => !scope.startsWith("developer.")),
    readable,
  );
});
