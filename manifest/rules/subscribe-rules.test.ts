/** Guards the rules for `subscribe` and `watchSchema`. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { surroundBody, check, rules, subscribeObject } from "../manifest-fixture.ts";

describe("subscribe", () => {
  const inherit = "inheritFieldsAndMapping: true\n";
  test("record events lean on a read object of the same name", () => {
    const alone = surroundBody(`provider: acme
subscribe: {objects: [{objectName: a, destination: hook, inheritFieldsAndMapping: true, createEvent: {enabled: always}}]}`);
    assert.deepEqual(rules(alone), ["subscribe-requires-read"]);
    const other = subscribeObject(`${inherit}createEvent: {enabled: always}`).replace(
      "objectName: people",
      "objectName: peple",
    );
    assert.deepEqual(
      check(other).findings.map(({ rule, remedy }) => [rule, remedy]),
      [["subscribe-requires-read", 'Did you mean "peple"?']],
    );
    assert.deepEqual(rules(subscribeObject("createEvent: {enabled: always}")), ["subscribe-inherit-fields"]);
    assert.deepEqual(
      rules(subscribeObject("otherEvents: [x]").replace("objectName: people", "objectName: b")),
      [],
    );
  });
  test("an event that is named is switched on with `always` only", () => {
    for (const value of ["true", "never", "false"]) {
      assert.deepEqual(rules(subscribeObject(`${inherit}deleteEvent: {enabled: ${value}}`)), [
        "update-event-enabled",
      ]);
    }
  });
  test("an update event watches either listed fields or all or the selected ones", () => {
    const update = (text: string) =>
      rules(subscribeObject(`${inherit}updateEvent: {enabled: always${text}}`));
    assert.deepEqual(update(", watchFieldsAuto: selected"), []);
    assert.deepEqual(update(", requiredWatchFields: [a]"), []);
    for (const text of [
      "",
      ", requiredWatchFields: []",
      ", watchFieldsAuto: some",
      ", watchFieldsAuto: all, requiredWatchFields: [a]",
    ]) {
      assert.deepEqual(update(text), ["update-event-watch-fields"], text);
    }
    assert.deepEqual(update(", requiredWatchFields: [a.b]"), ["watch-fields-no-nesting"]);
  });
  test("an object without any event is a warning only", () => {
    assert.equal(check(subscribeObject("inheritFieldsAndMapping: true")).manifest?.specVersion, "1.0.0");
    assert.deepEqual(rules(subscribeObject("inheritFieldsAndMapping: true")), ["subscribe-minimum-events"]);
  });
  test("Salesforce takes five objects", () => {
    const objects = Array.from(
      { length: 6 },
      (_, index) => `{objectName: o${index}, destination: hook, otherEvents: [x]}`,
    );
    const body = `provider: salesforce\nread: {objects: [{objectName: a, destination: hook}]}\nsubscribe: {objects: [${objects.join(", ")}]}`;
    assert.deepEqual(rules(surroundBody(body)), ["salesforce-subscribe-limit"]);
  });
  test("watchSchema needs a destination and events, and looks at most hourly", () => {
    const watch = (text: string) =>
      rules(surroundBody(`provider: acme\nproxy: {enabled: true}\nwatchSchema: {${text}}`));
    assert.deepEqual(watch("destination: hook, allObjects: {fieldCreated: {enabled: always}}"), []);
    assert.deepEqual(watch("destination: hook"), ["required-field"]);
    assert.deepEqual(watch("destination: hook, allObjects: {fieldCreated: {}}"), ["required-field"]);
    assert.deepEqual(watch("destination: hook, allObjects: {}, schedule: '*/30 * * * *'"), [
      "schedule-minimum-interval",
    ]);
  });
});
