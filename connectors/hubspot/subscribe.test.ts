/** Pushes of HubSpot: signatures, events, and the file that registers for them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { HubspotSignature } from "../../tests/published/clients.ts";
import type { PushedRequest } from "../../connector-kit/subscribe-connector.ts";
import { countItems, isListed, readEvent, readEvents } from "./push-event.ts";
import { findFault, isSigned } from "./push-signature.ts";
import { subscribe } from "./subscribe.ts";

const SECRET = "s3cret-of-the-app";
const NOW_MS = 1_789_377_602_000;
const pushed = (
  change: Partial<PushedRequest> & { signature?: string; time?: string } = {},
): PushedRequest => ({
  method: "POST",
  uri: "https://busbar.example/subscribe/v1/projects/p/integrations/i?x=%3A%20a%2Cb%26",
  headers: {
    "x-hubspot-signature-v3": change.signature ?? "IHCNtHH0sQZZ9XOtzccEyxPWN05P7V7hYQKlZG1F5Aw=",
    "x-hubspot-request-timestamp": change.time ?? String(NOW_MS),
  },
  body: Buffer.from('[{"objectId":501}]'),
  ...change,
});

test("a request that HubSpot signed is accepted, escapes in its address included", () => {
  assert.equal(isSigned(pushed(), ["another", SECRET]), true);
  assert.equal(
    isSigned(pushed({ uri: pushed().uri.replaceAll(/%[0-9A-F]{2}/g, (e) => e.toLowerCase()) }), [SECRET]),
    true,
  );
});

test("a changed body, address, method, time or secret is refused", () => {
  const uri = "https://busbar.example/subscribe/v1/projects/p/integrations/j?x=%3A%20a%2Cb%26";
  for (const request of [
    pushed({ uri }),
    pushed({ method: "PUT" }),
    pushed({ body: Buffer.from('[{"objectId":502}]') }),
    pushed({ time: String(NOW_MS + 1) }),
  ]) {
    assert.equal(isSigned(request, [SECRET]), false);
  }
  assert.equal(isSigned(pushed(), ["s3cret-of-the-apP"]), false);
  assert.equal(isSigned(pushed(), []), false);
});

test("the vendor's own signer is understood", () => {
  const body = '[{"objectId":501,"propertyValue":"Zoë"}]';
  const url = "https://busbar.example/subscribe/v1/projects/p/providers/hubspot";
  const options = { clientSecret: SECRET, requestBody: body, url, timestamp: NOW_MS, signature: "" };
  const signature = HubspotSignature.getSignature("POST", "v3", options);
  assert.equal(isSigned(pushed({ uri: url, body: Buffer.from(body), signature }), [SECRET]), true);
});

test("a request without signature, with a broken one, or with an old or future time is refused without a secret", () => {
  assert.equal(findFault(pushed(), NOW_MS), undefined);
  assert.equal(findFault(pushed(), NOW_MS + 300_000), undefined);
  assert.match(findFault(pushed(), NOW_MS + 300_001) ?? "", /five minutes/);
  assert.match(findFault(pushed(), NOW_MS - 300_001) ?? "", /five minutes/);
  assert.match(findFault(pushed({ signature: "abc" }), NOW_MS) ?? "", /not a signature/);
  assert.match(findFault({ headers: { "x-hubspot-signature": "a".repeat(64) } }, NOW_MS) ?? "", /version 3/);
});

const event = (members: object) => ({
  appId: 55501,
  eventId: 1,
  subscriptionId: 70031,
  portalId: 4100410,
  occurredAt: NOW_MS,
  attemptNumber: 0,
  ...members,
});
const changed = event({ subscriptionType: "contact.propertyChange", objectId: 501, propertyName: "email" });

test("events of older and newer types are read, and so is `eventType`", () => {
  const body = JSON.stringify([
    changed,
    event({ eventType: "object.creation", objectTypeId: "2-4100001", objectId: 1001 }),
    event({ subscriptionType: "contact.privacyDeletion", objectId: 502 }),
    event({ subscriptionType: "contact.merge", objectId: 1, primaryObjectId: 2, newObjectId: 3 }),
    event({
      subscriptionType: "contact.associationChange",
      fromObjectId: 501,
      toObjectId: 601,
      associationType: "CONTACT_TO_COMPANY",
    }),
  ]);
  const { events, dropped } = readEvents(body) ?? {};
  assert.equal(dropped, 0);
  assert.deepEqual(
    events?.map(({ type, objectKey, recordId }) => [type, objectKey, recordId]),
    [
      ["update", "0-1", "501"],
      ["create", "2-4100001", "1001"],
      ["delete", "0-1", "502"],
      ["other", "0-1", "3"],
      ["associationUpdate", "0-1", "501"],
    ],
  );
  assert.deepEqual(events?.[0]?.changedFields, ["email"]);
  assert.equal(events?.[2]?.erases, true);
  assert.deepEqual(events?.[4]?.to, { id: "601", objectKey: "0-2", objectName: "companies" });
});

test("ids beyond 2^53 keep their digits", () => {
  const raw =
    '{"portalId":4100410,"subscriptionType":"contact.creation","objectId":90071992547409931,"occurredAt":1}';
  assert.equal(readEvent(raw)?.recordId, "90071992547409931");
  assert.equal(readEvents(`[${raw}]`)?.events[0]?.raw, raw);
});

test("another attempt is the same event; another property, time or record is not", () => {
  const getKey = (change: object) => readEvent(JSON.stringify({ ...changed, ...change }))?.dedupeKey;
  assert.equal(getKey({ attemptNumber: 3, eventId: 2 }), getKey({}));
  for (const other of [
    { propertyName: "phone" },
    { occurredAt: NOW_MS + 1 },
    { objectId: 502 },
    { subscriptionId: 1 },
  ]) {
    assert.notEqual(getKey(other), getKey({}));
  }
});

test("an item without account, type or record is dropped alone; a body of another form is refused", () => {
  const body = JSON.stringify([
    changed,
    {},
    { ...changed, portalId: "x" },
    { ...changed, subscriptionType: 1 },
  ]);
  assert.equal(readEvents(body)?.dropped, 3);
  assert.equal(countItems(body), 4);
  // What is answered before the events are read must be answered the same.
  for (const wrong of ["{}", "[1]", "[[]]", "[{}, 1]", "[null]", "[", '"x"', "null", "", "[{}] 1"]) {
    assert.equal(readEvents(wrong), undefined);
    assert.equal(countItems(wrong), undefined);
  }
  assert.deepEqual(readEvents("[]"), { events: [], dropped: 0 });
  assert.equal(countItems("[]"), 0);
});

test("an item that is nested more deeply than a database can take is dropped alone", () => {
  const text = JSON.stringify(changed);
  for (const [open, close] of [
    ["[", "]"],
    ['{"a":', "}"],
  ] as const) {
    const deep = `${text.slice(0, -1)},"x":${open.repeat(100_000)}1234567890123456789${close.repeat(100_000)}}`;
    const read = readEvents(`[${deep},${text}]`);
    assert.deepEqual([read?.events.length, read?.dropped], [1, 1]);
  }
  const words = { ...changed, x: "[{".repeat(10_000) };
  assert.equal(readEvents(JSON.stringify([words]))?.events.length, 1);
});

test("a type with the name of a member of every object is another event", () => {
  for (const action of ["constructor", "__proto__", "toString"]) {
    const [event] =
      readEvents(JSON.stringify([{ ...changed, subscriptionType: `contact.${action}` }]))?.events ?? [];
    assert.equal(event?.type, "other");
    assert.equal(
      isListed([`contact.${action}`], { providerEventType: `object.${action}`, objectKey: "0-1" }),
      true,
    );
  }
});

test("objects have one key in every spelling", () => {
  for (const name of ["contacts", "Contact", "0-1", "CONTACTS"])
    assert.equal(subscribe.objectKey(name), "0-1");
  assert.equal(subscribe.objectKey("2-4100001"), "2-4100001");
  assert.equal(subscribe.objectKey("machines"), undefined);
});

test("other events match by object and last part", () => {
  const merge = { providerEventType: "contact.merge", objectKey: "0-1" };
  for (const listed of ["contact.merge", "object.merge", "merge", "merged", "contact.merged"]) {
    assert.equal(subscribe.isListed([listed], merge), true, listed);
  }
  for (const listed of ["company.merge", "restore", "contact.creation"]) {
    assert.equal(subscribe.isListed([listed], merge), false, listed);
  }
});

test("the registration has a subscription for each event and each watched property", () => {
  const file = subscribe.registration?.(
    [
      {
        objectName: "contacts",
        create: true,
        delete: true,
        associationChange: false,
        other: ["contact.merged"],
        watchFields: ["email", "phone", "email"],
      },
    ],
    "https://busbar.example/push",
  );
  assert.deepEqual(file, {
    uid: "busbar_webhooks",
    type: "webhooks",
    config: {
      settings: { targetUrl: "https://busbar.example/push", maxConcurrentRequests: 10 },
      subscriptions: {
        crmObjects: [
          { subscriptionType: "object.creation", objectType: "contact", active: true },
          { subscriptionType: "object.deletion", objectType: "contact", active: true },
          { subscriptionType: "object.merge", objectType: "contact", active: true },
          {
            subscriptionType: "object.propertyChange",
            objectType: "contact",
            propertyName: "email",
            active: true,
          },
          {
            subscriptionType: "object.propertyChange",
            objectType: "contact",
            propertyName: "phone",
            active: true,
          },
        ],
        legacyCrmObjects: [],
        hubEvents: [{ subscriptionType: "contact.privacyDeletion", active: true }],
      },
    },
  });
});

test("the registration calls meetings as HubSpot's file does", () => {
  const nothing = { create: true, delete: false, associationChange: false, other: [], watchFields: [] };
  for (const objectName of ["meetings", "meeting", "0-47"]) {
    const file = subscribe.registration?.([{ objectName, ...nothing }], "https://busbar.example/push");
    assert.match(JSON.stringify(file), /"objectType":"meeting_event"/, objectName);
  }
});
