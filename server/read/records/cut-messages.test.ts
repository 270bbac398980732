/** Guards the size of messages with records, and that each record is in exactly one. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createValidator } from "../../http/validation.ts";
import { ReadMessageSchema } from "../../events/read-message-schema.ts";
import { cutMessages, MAX_MESSAGE_BYTES, type MessageLimits } from "./cut-messages.ts";
import { writeEntry } from "./entry-text.ts";
import { readMessageHead } from "../run/page-commit.ts";

const head = readMessageHead({
  projectId: "p",
  provider: "acme",
  groupRef: "g",
  groupName: "Grøn",
  consumerRef: "u",
  consumerName: "Kim",
  installationId: "i",
  installationUpdateTime: new Date(0),
  messageName: "company",
  objectName: "account",
  workspace: "acme",
  operationId: "o",
  operationTime: new Date(1),
  readType: "scheduled",
});
const entry = (id: number, text = "") =>
  writeEntry({ id: String(id), fields: { text }, mappedFields: {}, raw: {} });
const cut = (entries: string[], limits?: MessageLimits) =>
  cutMessages(head, entries, limits).map(({ data, numRecords, isLarge }) => {
    const message = JSON.parse(data);
    createValidator(ReadMessageSchema, "body")(message);
    assert.deepEqual(message.resultInfo, { type: "inline", numRecords });
    assert.equal(message.result.length, numRecords);
    const ids: number[] = message.result.map(({ id }: { id: string }) => Number(id));
    return { ids, isLarge, sizeBytes: Buffer.byteLength(data) };
  });

describe("the message", () => {
  test("has the common members in the published order, then the records", () => {
    const [message] = cutMessages(head, [entry(1)]);
    assert.equal(
      message?.data,
      '{"action":"read","projectId":"p","provider":"acme","groupRef":"g","groupName":"Grøn","consumerRef":"u",' +
        '"consumerName":"Kim","installationId":"i","installationUpdateTime":"1970-01-01T00:00:00.000Z",' +
        '"objectName":"company","rawObjectName":"account","workspace":"acme","operationId":"o",' +
        '"operationTime":"1970-01-01T00:00:00.001Z","readType":"scheduled",' +
        '"resultInfo":{"type":"inline","numRecords":1},' +
        '"result":[{"id":"1","fields":{"text":""},"mappedFields":{},"raw":{}}]}',
    );
  });

  test("leaves the workspace out where the connection has none", () => {
    const facts = {
      ...head,
      messageName: "a",
      installationUpdateTime: new Date(),
      operationTime: new Date(),
    };
    assert.ok(!("workspace" in readMessageHead({ ...facts, workspace: "" })));
  });
});

describe("a page of records", () => {
  test("without records makes no message", () => {
    assert.deepEqual(cut([]), []);
  });

  test("keeps order, and each record is in one message", () => {
    const entries = Array.from({ length: 2_500 }, (_, id) => entry(id));
    const messages = cut(entries);
    assert.deepEqual(
      messages.map(({ ids }) => ids.length),
      [1_000, 1_000, 500],
    );
    assert.deepEqual(
      messages.flatMap(({ ids }) => ids),
      entries.map((_, id) => id),
    );
    assert.deepEqual(
      cut(entries.slice(0, 101), { pageSize: 50 }).map(({ ids }) => ids.length),
      [50, 50, 1],
    );
  });

  test("fills messages up to the limit in bytes of UTF-8, and not one byte further", () => {
    const entries = Array.from({ length: 400 }, (_, id) => entry(id, "ø".repeat(1_000)));
    const messages = cut(entries);
    for (const { sizeBytes, isLarge } of messages) assert.ok(sizeBytes <= MAX_MESSAGE_BYTES && !isLarge);
    for (const { sizeBytes } of messages.slice(0, -1)) assert.ok(sizeBytes > MAX_MESSAGE_BYTES - 2_100);
    const [exact] = cut(entries.slice(0, 3), { pageSize: 1_000 });
    const fits = { maxBytes: (exact?.sizeBytes ?? 0) + "1000".length - "3".length };
    assert.deepEqual(cut(entries.slice(0, 3), fits).length, 1);
    assert.deepEqual(cut(entries.slice(0, 3), { maxBytes: fits.maxBytes - 1 }).length, 2);
  });

  test("puts a record above the limit into a large message of its own, between its neighbours", () => {
    const large = entry(2, "x".repeat(MAX_MESSAGE_BYTES));
    assert.deepEqual(
      cut([entry(0), entry(1), large, large, entry(3)]).map(({ ids, isLarge }) => [ids, isLarge]),
      [
        [[0, 1], false],
        [[2], true],
        [[2], true],
        [[3], false],
      ],
    );
  });
});
