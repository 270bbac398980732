/** Every event type has exactly the members of its contract, each of the right type. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createValidator } from "../http/validation.ts";
import { shrinkMessage } from "../deliver/destinations/to-message.ts";
import {
  buildConnectionError,
  buildInstallationUpdated,
  readTriggeredDone,
  writeAsyncDone,
} from "./new-events.ts";
import { EVENT_TYPES, type EventType, type NewEvent } from "./event-types.ts";
import { buildNotificationSchema } from "./notification.ts";
import { sampleEvent } from "./sample-event.ts";

const CONNECTION = ["projectId", "connectionId", "provider", "groupRef", "consumerRef", "consumerName"];
const INSTALLATION = [...CONNECTION, "groupName", "integrationId", "integrationName", "installationId"];
const SPAN = ["objectName", "fromTimestamp", "untilTimestamp"];

/** Published members, plus `operationId` and the numbers of records, which are Busbar's own. */
const MEMBERS: Record<EventType, string[]> = {
  "installation.created": [...INSTALLATION, "config"],
  "installation.updated": [...INSTALLATION, "config", "lastConfig"],
  "installation.deleted": [...INSTALLATION, "config"],
  "read.backfill.done": [...INSTALLATION, "objectName", "operationId", "recordsRead", "recordsInMessages"],
  "read.schedule.paused": [...INSTALLATION, "config", "error"],
  "read.triggered.done": [...INSTALLATION, ...SPAN],
  "read.triggered.error": [...INSTALLATION, ...SPAN, "error"],
  "write.async.done": [
    ...INSTALLATION,
    "objectName",
    "success",
    "successfulRecordIds",
    "errors",
    "operationId",
  ],
  "subscribe.create.error": [...INSTALLATION, "error"],
  "connection.created": CONNECTION,
  "connection.refreshed": CONNECTION,
  "connection.updated": CONNECTION,
  "connection.deleted": CONNECTION,
  "connection.error": [...CONNECTION, "errors", "error"],
  "destination.webhook.disabled": ["projectId", "destinationId", "destinationName", "url"],
  // Busbar's own.
  "installation.health.changed": [...INSTALLATION, "healthStatus", "healthReasons"],
  "agent.approval.requested": ["approval"],
  "agent.approval.decided": ["approval"],
};

const received = ({ type, data }: NewEvent) => ({
  notificationType: type,
  data: { ...data } as Record<string, unknown>,
});
const check = (message: { notificationType: EventType }) =>
  createValidator(buildNotificationSchema(message.notificationType), "body")(message);
const listFields = (type: "installation.updated") => {
  const event = sampleEvent(type, "p");
  assert.equal(event.type, type);
  return event.data;
};

test("there are fifteen types and three of our own, each with the members of its contract", () => {
  assert.equal(EVENT_TYPES.length, 18);
  for (const type of EVENT_TYPES) {
    const event = sampleEvent(type, "p");
    assert.equal(event.type, type);
    assert.equal(event.projectId, "p");
    assert.deepEqual(Object.keys(event.data).toSorted(), MEMBERS[type].toSorted(), type);
    check(received(event));
  }
});

test("the schema refuses an event that lacks a required member or has one of another type", () => {
  const optional = ["fromTimestamp", "untilTimestamp", "config", "lastConfig"];
  for (const type of EVENT_TYPES) {
    for (const member of MEMBERS[type]) {
      const without = received(sampleEvent(type, "p"));
      delete without.data[member];
      if (optional.includes(member)) check(without);
      else assert.throws(() => check(without), new RegExp(member), `${type} without ${member}`);
      const other = received(sampleEvent(type, "p"));
      other.data[member] = typeof other.data[member] === "number" ? "7" : 7;
      assert.throws(() => check(other), new RegExp(member), `${type} with another ${member}`);
    }
  }
});

test("a configuration that is too large is replaced by a URL, lastConfig first, and still fits the schema", () => {
  const fields = listFields("installation.updated");
  const large = { text: "x".repeat(10_000) };
  for (const [maxBytes, gone] of [
    [15_000, ["lastConfigURL"]],
    [5_000, ["configURL", "lastConfigURL"]],
  ] as const) {
    const { type, data } = buildInstallationUpdated(fields, large, large);
    const message = {
      id: "m",
      topic: type,
      kind: "event" as const,
      time: new Date(0),
      projectId: "p",
      destinationId: "d",
      data: JSON.stringify(data),
    };
    const fitted = JSON.parse(
      shrinkMessage(message, maxBytes, (member) => `https://example.com/${member}`).data,
    );
    check({ notificationType: type, data: fitted } as { notificationType: EventType });
    const urls = Object.keys(fitted).filter((name) => name.endsWith("URL"));
    assert.deepEqual(urls.toSorted(), gone);
    for (const name of urls) assert.equal(fitted[name.slice(0, -"URL".length)], undefined);
  }
});

test("a write that failed in part is not a success and has both lists", () => {
  const end = { operationId: "o", objectName: "contacts", success: false };
  const fields = listFields("installation.updated");
  const event = writeAsyncDone(fields, { ...end, successfulRecordIds: ["1", "2"], errors: ["too long"] });
  check(received(event));
  const { success, successfulRecordIds, errors } = received(event).data;
  assert.deepEqual([success, successfulRecordIds, errors], [false, ["1", "2"], ["too long"]]);
});

test("a triggered read of everything has no time span; a connection's errors have both names", () => {
  const read = received(readTriggeredDone(listFields("installation.updated"), { objectName: "contacts" }));
  check(read);
  assert.ok(!("fromTimestamp" in read.data) && !("untilTimestamp" in read.data));
  const { errors, error } = received(
    buildConnectionError(listFields("installation.updated"), ["a", "b"]),
  ).data;
  assert.deepEqual(
    [errors, error],
    [
      ["a", "b"],
      ["a", "b"],
    ],
  );
});

test("errors that are too large are each shortened, and the list of written records stays complete", () => {
  const end = { operationId: "o", objectName: "contacts", success: false };
  const errors = Array.from({ length: 100 }, (_, index) => `${index}: ${"ü".repeat(4_000)}`);
  const successfulRecordIds = Array.from({ length: 100 }, (_, index) => String(index));
  const event = writeAsyncDone(listFields("installation.updated"), { ...end, successfulRecordIds, errors });
  const message = {
    id: "m",
    topic: event.type,
    kind: "event" as const,
    time: new Date(0),
    projectId: "p",
    destinationId: "d",
    data: JSON.stringify(event.data),
  };
  const { data } = shrinkMessage(message, 300_000, () => "");
  assert.ok(Buffer.byteLength(data) < 300_000);
  const fitted = JSON.parse(data);
  assert.deepEqual(fitted.successfulRecordIds, successfulRecordIds);
  assert.equal(fitted.errors.length, 100);
  assert.ok(fitted.errors.every((text: string, index: number) => text.startsWith(`${index}: ü`)));
  assert.deepEqual(
    shrinkMessage(message, 3_000_000, () => ""),
    message,
  );
});
