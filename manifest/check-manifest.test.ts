/** Guards the rules about the file as a whole, the order of findings, and the comments that silence them. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { surroundBody, check, readObject, rules, reported } from "./manifest-fixture.ts";

test("a sound manifest has no finding and is returned in its stored form", () => {
  const { manifest, findings } = check(
    readObject(`requiredFields:
  - fieldName: $['home']['city']
    mapToName: city
  - mapToName: tier
    prompt: Which field?
optionalFieldsAuto: all`),
  );
  assert.deepEqual(findings, []);
  assert.deepEqual(manifest?.integrations[0]?.read?.objects?.[0], {
    objectName: "people",
    destination: "hook",
    schedule: "",
    requiredFields: [
      { fieldName: "$['home']['city']", mapToName: "city" },
      { mapToName: "tier", prompt: "Which field?" },
    ],
    optionalFields: [],
    optionalFieldsAuto: "all",
  });
});

test("five different mistakes are reported at once, in the order of the file, with line and column", () => {
  const source = `specVersion: 2.0.0
integrations:
  - name: sync
    provider: acmee
    read:
      objects:
        - objectName: people
          schedule: "* * * * *"
          optionalField: []
          requiredFields: name
`;
  assert.deepEqual(reported(source), [
    "spec-version 1:14",
    "provider-not-supported 4:15",
    "required-field 7:11",
    "schedule-minimum-interval 8:21",
    "unknown-key 9:11",
    "wrong-type 10:27",
  ]);
  const finding = check(source).findings.find(({ rule }) => rule === "provider-not-supported");
  assert.equal(finding?.path, "$.integrations[0].provider");
  assert.equal(finding?.remedy, 'Did you mean "acme"?');
  assert.match(finding?.message ?? "", /acmee/);
});

describe("structure", () => {
  test("an empty file, a list and a text are findings", () => {
    for (const source of ["", "# nothing", "- a", "just text", "null", "5"])
      assert.deepEqual(rules(source), ["wrong-type"]);
  });
  test("at least one integration with at least one action is needed", () => {
    assert.deepEqual(reported("specVersion: 1.0.0"), ["integration-structure 1:1"]);
    assert.deepEqual(reported("specVersion: 1.0.0\nintegrations: []"), ["integration-structure 2:15"]);
    assert.deepEqual(reported(surroundBody("provider: acme")), ["integration-structure 3:5"]);
  });
  test("specVersion is exactly 1.0.0", () => {
    for (const version of ["1.0", "1", '"1.0.1"', "[]", ""]) {
      const source = surroundBody("provider: acme\nproxy: {enabled: true}").replace("1.0.0", version);
      assert.deepEqual(rules(source), ["spec-version"], version);
    }
  });
  test("names take any case, but no other characters, no more than 64, and only once", () => {
    const named = (name: string) =>
      rules(surroundBody("provider: acme\nproxy: {enabled: true}").replace("crm-sync", name));
    assert.deepEqual(named("readAndWrite_2-x"), []);
    assert.deepEqual(named("with space"), ["integration-name"]);
    assert.deepEqual(named("x".repeat(65)), ["integration-name"]);
    assert.deepEqual(named("''"), ["required-field"]);
    assert.deepEqual(named("7"), ["wrong-type"]);
    const twice = `${surroundBody("provider: acme\nproxy: {enabled: true}")}\n  - {name: crm-sync, provider: acme, proxy: {enabled: true}}`;
    assert.deepEqual(reported(twice), ["duplicate-integration 6:12"]);
  });
  test("the display name has at most 100 characters", () => {
    const source = surroundBody(`provider: acme\ndisplayName: ${"x".repeat(101)}\nproxy: {enabled: true}`);
    assert.deepEqual(rules(source), ["display-name"]);
  });
  test("read, write and subscribe need a list with objects", () => {
    assert.deepEqual(rules(surroundBody("provider: acme\nread:")), ["read-objects"]);
    assert.deepEqual(rules(surroundBody("provider: acme\nread: {objects: []}")), ["read-objects"]);
    assert.deepEqual(rules(surroundBody("provider: acme\nwrite: {}")), ["write-objects"]);
    assert.deepEqual(rules(surroundBody("provider: acme\nread: {objects: x}")), ["wrong-type"]);
    assert.deepEqual(rules(surroundBody("provider: acme\nsubscribe:")), ["subscribe-objects"]);
  });
  test("a proxy block without `enabled` is a warning", () => {
    assert.deepEqual(reported(surroundBody("provider: acme\nproxy: {useModule: false}")), [
      "proxy-enabled 5:12",
    ]);
  });
  test("an object may be listed once per action, and in several actions", () => {
    const source = surroundBody(`provider: acme
read: {objects: [{objectName: a, destination: hook}, {objectName: a, destination: hook}]}
write: {objects: [{objectName: a}, {objectName: b}, {objectName: b}]}`);
    assert.deepEqual(rules(source), ["duplicate-read-object", "duplicate-write-object"]);
  });
  test("wrong types are reported for what they are and never thrown", () => {
    const { findings } = check(
      surroundBody("provider: acme\nwrite:\n  objects:\n    - objectName: 5\n    - people\n    -"),
    );
    assert.deepEqual(
      findings.map(({ message }) => message),
      [
        "`objectName` must be text, but it is the number 5.",
        'This entry must be a map, but it is the text "people".',
        "This entry must be a map, but it is nothing.",
      ],
    );
  });
  test("an unknown key is a warning with the key that was probably meant", () => {
    const { manifest, findings } = check(
      surroundBody("provider: acme\nproxy: {enabled: true, useModul: true}"),
    );
    assert.deepEqual(
      findings.map(({ rule, remedy }) => [rule, remedy]),
      [["unknown-key", 'Did you mean "useModule"?']],
    );
    assert.deepEqual(manifest?.integrations[0]?.proxy, { enabled: true });
  });
});

describe("amp:ignore", () => {
  const large = (before: string, after: string) =>
    rules(readObject(`backfill:\n  defaultPeriod:\n${before}    fullHistory: true${after}`));
  test("silences warnings on its own line or the next one, by rule or all", () => {
    assert.deepEqual(large("", " # amp:ignore"), []);
    assert.deepEqual(large("    # amp:ignore[large-backfill-risk]\n", ""), []);
    assert.deepEqual(large("    # amp:ignore[unknown-key, large-backfill-risk] because\n", ""), []);
    assert.deepEqual(large("    # amp:ignore[unknown-key]\n", ""), ["large-backfill-risk"]);
    assert.deepEqual(large("    # amp:ignored\n", ""), ["large-backfill-risk"]);
  });
  test("never silences an error", () => {
    assert.deepEqual(rules(readObject("schedule: '* * * * *' # amp:ignore")), ["schedule-minimum-interval"]);
  });
});

test("very many findings are cut, errors first, and the cut is reported", () => {
  const source = surroundBody(
    `provider: acme\nproxy: {enabled: true}\n${Array.from({ length: 600 }, (_, i) => `k${i}: 1`).join("\n")}\nmodule: 3`,
  );
  const { findings } = check(source);
  assert.equal(findings.length, 501);
  assert.equal(findings.at(-1)?.rule, "too-many-findings");
  assert.equal(findings.filter(({ rule }) => rule === "wrong-type").length, 1);
});
