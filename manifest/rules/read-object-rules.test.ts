/** Guards the rules for `read`. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { surroundBody, check, known, readObject, rules, reported } from "../manifest-fixture.ts";

describe("read objects", () => {
  test("objectName, destination and a name for each field are needed", () => {
    const source = surroundBody("provider: acme\nread: {objects: [{requiredFields: [{prompt: x}]}]}");
    assert.deepEqual(reported(source), ["required-field 5:22", "required-field 5:22", "required-field 5:40"]);
  });
  test("a schedule is optional, but a given one is checked", () => {
    assert.deepEqual(rules(readObject("schedule: '*/10 * * * *'")), []);
    assert.deepEqual(rules(readObject("schedule: '@daily'")), ["schedule-syntax"]);
    assert.deepEqual(rules(readObject("schedule: '0,5 * * * *'")), ["schedule-minimum-interval"]);
    assert.deepEqual(rules(readObject("schedule: 10")), ["wrong-type"]);
  });
  test("a project may be exempt from the minimum interval and is warned instead", () => {
    const context = { ...known, minimumScheduleMinutes: 1 };
    assert.deepEqual(rules(readObject("schedule: '* * * * *'"), context), ["frequent-schedule-risk"]);
  });
  test("backfill takes exactly one of days and fullHistory", () => {
    const period = (text: string) => rules(readObject(`backfill: {defaultPeriod: {${text}}}`));
    assert.deepEqual(period("days: 0"), []);
    assert.deepEqual(period("days: 30, fullHistory: false"), []);
    assert.deepEqual(period("days: -1"), ["backfill-config"]);
    assert.deepEqual(period(""), ["backfill-config"]);
    assert.deepEqual(period("fullHistory: false"), ["backfill-config"]);
    assert.deepEqual(period("days: 3, fullHistory: true"), ["backfill-config", "large-backfill-risk"]);
    assert.deepEqual(period("days: 1.5"), ["wrong-type"]);
    assert.deepEqual(period("fullHistory: sure"), ["wrong-type"]);
    assert.deepEqual(period("days: 181"), ["large-backfill-risk"]);
    assert.deepEqual(rules(readObject("backfill: {}")), ["backfill-config"]);
  });
  test("delivery modes: auto has no page size, onRequest one of 50 to 500", () => {
    const delivery = (text: string) => rules(readObject(`delivery: {${text}}`));
    assert.deepEqual(delivery("mode: auto"), []);
    assert.deepEqual(delivery("mode: onRequest, pageSize: 50"), []);
    for (const text of [
      "mode: auto, pageSize: 60",
      "mode: onRequest",
      "mode: onRequest, pageSize: 49",
      "mode: push",
    ]) {
      assert.deepEqual(delivery(text), ["delivery-mode"], text);
    }
  });
  test("an object that is always read needs plain required fields and a schedule", () => {
    const schedule = "\nschedule: '0 * * * *'";
    assert.deepEqual(rules(readObject(`enabled: always\nrequiredFields: [{fieldName: a}]${schedule}`)), []);
    assert.deepEqual(reported(readObject("enabled: always")), [
      "always-enabled-fields 7:11",
      "always-enabled-fields 7:11",
    ]);
    const mapped = readObject(`enabled: always\nrequiredFields: [{fieldName: a, mapToName: b}]${schedule}`);
    assert.deepEqual(rules(mapped), ["always-enabled-fields"]);
    assert.deepEqual(rules(readObject("enabled: sometimes")), ["allowed-value"]);
  });
  test("a malformed nested path is reported, a name that only begins with $ is not", () => {
    const field = (name: string) => rules(readObject(`requiredFields: [{fieldName: "${name}"}]`));
    assert.deepEqual(field("$['a']['b']"), []);
    assert.deepEqual(field("$browser"), []);
    assert.deepEqual(field("$['a'"), ["field-mapping-jsonpath"]);
    assert.deepEqual(field("$.a.b"), ["field-mapping-jsonpath"]);
    for (const path of ["$['a'][0]['b']", "$['a'][?primary]['b']", "$['a'][?label='x']"])
      assert.deepEqual(field(path), [], path);
    assert.deepEqual(field("$['a'][?]['b']"), ["field-mapping-jsonpath"]);
    const mapped = `requiredFields: [{fieldName: a, mapToName: "$['x'][0]"}]`;
    assert.deepEqual(reported(readObject(mapped)), ["field-mapping-jsonpath 9:54"]);
  });
  test("an entry of a list that no create can set is warned of where it is written", () => {
    const manifest = (path: string, write: string) =>
      rules(`${readObject(`requiredFields: [{fieldName: "${path}", mapToName: a}]`)}${write}`);
    const write = "\n    write: {objects: [{objectName: people, inheritMapping: true}]}";
    assert.deepEqual(manifest("$['a'][1]['b']", write), ["list-entry-write"]);
    assert.deepEqual(manifest("$['a'][0]['b']", write), []);
    assert.deepEqual(manifest("$['a'][?primary]", write), []);
    assert.deepEqual(manifest("$['a'][1]['b']", ""), []);
  });
  test("associated objects and deletions can be asked for, and a wrong request is an error", () => {
    const body = "associatedObjects: [deals]\ndeletedRecords: always";
    assert.deepEqual(rules(readObject(body)), []);
    assert.deepEqual(rules(readObject("associatedObjects: ['']")), ["required-field"]);
    assert.deepEqual(rules(readObject("associatedObjects: deals")), ["wrong-type"]);
    assert.deepEqual(rules(readObject("deletedRecords: true")), ["allowed-value"]);
    const [object] = check(readObject(body)).manifest?.integrations[0]?.read?.objects ?? [];
    assert.deepEqual([object?.associatedObjects, object?.deletedRecords], [["deals"], "always"]);
  });
  test("limits of single providers on the backfill hold", () => {
    assert.deepEqual(rules(readObject("backfill: {defaultPeriod: {days: 3}}", "snowflake")), [
      "snowflake-backfill",
    ]);
    const calendar = (period: string) =>
      rules(
        readObject(`backfill: {defaultPeriod: {${period}}}`, "googlecalendar").replace("people", "events"),
      );
    assert.deepEqual(calendar("days: 28"), []);
    assert.deepEqual(calendar("days: 29"), ["google-calendar-backfill"]);
    assert.deepEqual(calendar("fullHistory: true"), ["google-calendar-backfill", "large-backfill-risk"]);
    // The connector can read older events, so the remedy must not end at the limit.
    const [finding] = check(
      readObject("backfill: {defaultPeriod: {days: 29}}", "googlecalendar").replace("people", "events"),
    ).findings;
    assert.match(finding?.remedy ?? "", /asked for: busbar read with --since/);
  });
});
