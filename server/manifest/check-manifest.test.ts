/** Guards every rule of the manifest format: what is told, where, and that nothing else is told. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { supports, type ProviderInfo } from "../../connectors/kit/provider.ts";
import { checkManifest, type ManifestContext } from "./check-manifest.ts";

const provider = (name: string, extra: Partial<ProviderInfo> = {}): ProviderInfo => ({
  name,
  displayName: name.toUpperCase(),
  authType: "apiKey",
  baseURL: "https://example.com",
  defaultModule: "",
  support: supports("read", "write", "subscribe", "proxy"),
  ...extra,
});
const module = (...actions: Parameters<typeof supports>) => ({
  displayName: "M",
  baseURL: "https://example.com/m",
  support: supports(...actions),
});
const catalog: Record<string, ProviderInfo> = {
  acme: provider("acme"),
  salesforce: provider("salesforce"),
  snowflake: provider("snowflake"),
  googlecalendar: provider("googlecalendar"),
  writeonly: provider("writeonly", { support: supports("write") }),
  modular: provider("modular", {
    defaultModule: "main",
    support: supports("write", "proxy"),
    modules: { main: module("read", "write"), side: module("write") },
  }),
  portal: provider("portal", {
    authType: "oauth2",
    oauth2Opts: {
      grantType: "authorizationCode",
      tokenURL: "https://example.com/token",
      explicitScopesRequired: false,
      explicitWorkspaceRequired: false,
      tokenMetadataFields: {},
    },
  }),
};
const known: ManifestContext = { destinations: ["hook"] };

const check = (source: string, context: ManifestContext = known) => checkManifest(source, catalog, context);
const told = (source: string, context?: ManifestContext) =>
  check(source, context).complaints.map(({ rule, line, column }) => `${rule} ${line}:${column}`);
const rules = (source: string, context?: ManifestContext) => [
  ...new Set(check(source, context).complaints.map(({ rule }) => rule)),
];

/** A manifest around the body of one integration, which begins in line 3. */
const around = (body: string) => `specVersion: 1.0.0
integrations:
  - name: crm-sync
${body.replace(/^/gm, "    ")}`;
const readObject = (body: string, providerName = "acme") =>
  around(`provider: ${providerName}
read:
  objects:
    - objectName: people
      destination: hook
${body.replace(/^/gm, "      ")}`);
const subscribeObject = (body: string, rest = "") =>
  around(`provider: acme
read:
  objects:
    - objectName: people
      destination: hook
subscribe:
  objects:
    - objectName: people
      destination: hook
${body.replace(/^/gm, "      ")}${rest}`);

test("a sound manifest has no complaint and is returned in its stored form", () => {
  const { manifest, complaints } = check(
    readObject(`requiredFields:
  - fieldName: $['home']['city']
    mapToName: city
  - mapToName: tier
    prompt: Which field?
optionalFieldsAuto: all`),
  );
  assert.deepEqual(complaints, []);
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

test("five different mistakes are told at once, in the order of the file, with line and column", () => {
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
  assert.deepEqual(told(source), [
    "spec-version 1:14",
    "provider-not-supported 4:15",
    "required-field 7:11",
    "schedule-minimum-interval 8:21",
    "unknown-key 9:11",
    "wrong-type 10:27",
  ]);
  const complaint = check(source).complaints.find(({ rule }) => rule === "provider-not-supported");
  assert.equal(complaint?.path, "$.integrations[0].provider");
  assert.equal(complaint?.remedy, 'Did you mean "acme"?');
  assert.match(complaint?.message ?? "", /acmee/);
});

describe("structure", () => {
  test("an empty file, a list and a text are complaints", () => {
    for (const source of ["", "# nothing", "- a", "just text", "null", "5"])
      assert.deepEqual(rules(source), ["wrong-type"]);
  });
  test("at least one integration with at least one action is needed", () => {
    assert.deepEqual(told("specVersion: 1.0.0"), ["integration-structure 1:1"]);
    assert.deepEqual(told("specVersion: 1.0.0\nintegrations: []"), ["integration-structure 2:15"]);
    assert.deepEqual(told(around("provider: acme")), ["integration-structure 3:5"]);
  });
  test("specVersion is exactly 1.0.0", () => {
    for (const version of ["1.0", "1", '"1.0.1"', "[]", ""]) {
      const source = around("provider: acme\nproxy: {enabled: true}").replace("1.0.0", version);
      assert.deepEqual(rules(source), ["spec-version"], version);
    }
  });
  test("names take any case, but no other characters, no more than 64, and only once", () => {
    const named = (name: string) =>
      rules(around("provider: acme\nproxy: {enabled: true}").replace("crm-sync", name));
    assert.deepEqual(named("readAndWrite_2-x"), []);
    assert.deepEqual(named("with space"), ["integration-name"]);
    assert.deepEqual(named("x".repeat(65)), ["integration-name"]);
    assert.deepEqual(named("''"), ["required-field"]);
    assert.deepEqual(named("7"), ["wrong-type"]);
    const twice = `${around("provider: acme\nproxy: {enabled: true}")}\n  - {name: crm-sync, provider: acme, proxy: {enabled: true}}`;
    assert.deepEqual(told(twice), ["duplicate-integration 6:12"]);
  });
  test("the display name has at most 100 characters", () => {
    const source = around(`provider: acme\ndisplayName: ${"x".repeat(101)}\nproxy: {enabled: true}`);
    assert.deepEqual(rules(source), ["display-name"]);
  });
  test("read, write and subscribe need a list with objects", () => {
    assert.deepEqual(rules(around("provider: acme\nread:")), ["read-objects"]);
    assert.deepEqual(rules(around("provider: acme\nread: {objects: []}")), ["read-objects"]);
    assert.deepEqual(rules(around("provider: acme\nwrite: {}")), ["write-objects"]);
    assert.deepEqual(rules(around("provider: acme\nread: {objects: x}")), ["wrong-type"]);
    assert.deepEqual(rules(around("provider: acme\nsubscribe:")), ["subscribe-objects"]);
  });
  test("a proxy block without `enabled` is a warning", () => {
    assert.deepEqual(told(around("provider: acme\nproxy: {useModule: false}")), ["proxy-enabled 5:12"]);
  });
  test("an object may be listed once per action, and in several actions", () => {
    const source = around(`provider: acme
read: {objects: [{objectName: a, destination: hook}, {objectName: a, destination: hook}]}
write: {objects: [{objectName: a}, {objectName: b}, {objectName: b}]}`);
    assert.deepEqual(rules(source), ["duplicate-read-object", "duplicate-write-object"]);
  });
  test("wrong types are told for what they are and never thrown", () => {
    const { complaints } = check(
      around("provider: acme\nwrite:\n  objects:\n    - objectName: 5\n    - people\n    -"),
    );
    assert.deepEqual(
      complaints.map(({ message }) => message),
      [
        "`objectName` must be text, but it is the number 5.",
        'This entry must be a map, but it is the text "people".',
        "This entry must be a map, but it is nothing.",
      ],
    );
  });
  test("an unknown key is a warning with the key that was probably meant", () => {
    const { manifest, complaints } = check(around("provider: acme\nproxy: {enabled: true, useModul: true}"));
    assert.deepEqual(
      complaints.map(({ rule, remedy }) => [rule, remedy]),
      [["unknown-key", 'Did you mean "useModule"?']],
    );
    assert.deepEqual(manifest?.integrations[0]?.proxy, { enabled: true });
  });
});

describe("read objects", () => {
  test("objectName, destination and a name for each field are needed", () => {
    const source = around("provider: acme\nread: {objects: [{requiredFields: [{prompt: x}]}]}");
    assert.deepEqual(told(source), ["required-field 5:22", "required-field 5:22", "required-field 5:40"]);
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
    assert.deepEqual(told(readObject("enabled: always")), [
      "always-enabled-fields 7:9",
      "always-enabled-fields 7:9",
    ]);
    const mapped = readObject(`enabled: always\nrequiredFields: [{fieldName: a, mapToName: b}]${schedule}`);
    assert.deepEqual(rules(mapped), ["always-enabled-fields"]);
    assert.deepEqual(rules(readObject("enabled: sometimes")), ["allowed-value"]);
  });
  test("a malformed nested path is told, a name that only begins with $ is not", () => {
    const field = (name: string) => rules(readObject(`requiredFields: [{fieldName: "${name}"}]`));
    assert.deepEqual(field("$['a']['b']"), []);
    assert.deepEqual(field("$browser"), []);
    assert.deepEqual(field("$['a'"), ["field-mapping-jsonpath"]);
    assert.deepEqual(field("$.a.b"), ["field-mapping-jsonpath"]);
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
  });
});

describe("subscribe", () => {
  const inherit = "inheritFieldsAndMapping: true\n";
  test("record events lean on a read object of the same name", () => {
    const alone = around(`provider: acme
subscribe: {objects: [{objectName: a, destination: hook, inheritFieldsAndMapping: true, createEvent: {enabled: always}}]}`);
    assert.deepEqual(rules(alone), ["subscribe-requires-read"]);
    const other = subscribeObject(`${inherit}createEvent: {enabled: always}`).replace(
      "objectName: people",
      "objectName: peple",
    );
    assert.deepEqual(
      check(other).complaints.map(({ rule, remedy }) => [rule, remedy]),
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
    assert.deepEqual(rules(around(body)), ["salesforce-subscribe-limit"]);
  });
  test("watchSchema needs a destination and events, and looks at most hourly", () => {
    const watch = (text: string) =>
      rules(around(`provider: acme\nproxy: {enabled: true}\nwatchSchema: {${text}}`));
    assert.deepEqual(watch("destination: hook, allObjects: {fieldCreated: {enabled: always}}"), []);
    assert.deepEqual(watch("destination: hook"), ["required-field"]);
    assert.deepEqual(watch("destination: hook, allObjects: {fieldCreated: {}}"), ["required-field"]);
    assert.deepEqual(watch("destination: hook, allObjects: {}, schedule: '*/30 * * * *'"), [
      "schedule-minimum-interval",
    ]);
  });
});

describe("provider and project", () => {
  const write = (name: string, extra = "") =>
    around(`provider: ${name}\n${extra}write: {objects: [{objectName: a}]}`);
  test("a declared action must be one that the provider supports", () => {
    const body = `provider: writeonly
read: {objects: [{objectName: a, destination: hook}]}
subscribe: {objects: [{objectName: a, destination: hook, otherEvents: [x]}]}
proxy: {enabled: true}`;
    assert.deepEqual(told(around(body)), [
      "provider-capability-read 5:5",
      "provider-capability-subscribe 6:5",
      "provider-capability-proxy 7:5",
    ]);
    assert.deepEqual(rules(around("provider: writeonly\nproxy: {enabled: false}")), []);
  });
  test("the flags of a named module win, and the default module helps when none is named", () => {
    const read = (module: string) =>
      rules(readObject("", "modular").replace("provider: modular", `provider: modular${module}`));
    assert.deepEqual(read(""), []);
    assert.deepEqual(read("\n    module: main"), []);
    assert.deepEqual(read("\n    module: side"), ["provider-capability-read"]);
    assert.deepEqual(rules(write("modular", "module: sied\n")), ["provider-module"]);
    assert.deepEqual(rules(write("acme", "module: x\n")), ["provider-module"]);
  });
  test("a module without proxy is a warning unless the proxy is to use the module", () => {
    const proxy = (more: string) =>
      check(around(`provider: modular\nmodule: main\nproxy: {enabled: true${more}}`));
    assert.deepEqual(
      proxy("").complaints.map(({ severity }) => severity),
      ["warning"],
    );
    assert.deepEqual(
      proxy(", useModule: true").complaints.map(({ severity }) => severity),
      ["error"],
    );
  });
  test("an action that this server cannot run yet is a warning and can be deployed", () => {
    const { manifest, complaints } = check(write("acme"), {
      ...known,
      built: (_, action) => action !== "write",
    });
    assert.ok(manifest);
    assert.deepEqual(
      complaints.map(({ rule, severity, line }) => [rule, severity, line]),
      [["not-built-yet", "warning", 5]],
    );
  });
  test("an unknown destination is an error with a suggestion; without a project it is said that nobody looked", () => {
    const unknown = check(readObject(""), { destinations: ["hok"] }).complaints;
    assert.deepEqual(
      unknown.map(({ rule, remedy }) => [rule, remedy]),
      [["destination-not-found", 'Did you mean "hok"?']],
    );
    assert.deepEqual(rules(readObject(""), {}), ["destination-exists"]);
  });
  test("an OAuth provider without a provider app in the project is a warning", () => {
    assert.deepEqual(rules(write("portal"), { providerApps: [] }), ["provider-app-not-configured"]);
    assert.deepEqual(rules(write("portal"), { providerApps: ["portal"] }), []);
    assert.deepEqual(rules(write("acme"), { providerApps: [] }), []);
  });
  test("names like those of built-in members are no providers", () => {
    for (const name of ["constructor", "__proto__", "toString"]) {
      assert.deepEqual(rules(write(name)), ["provider-not-supported"]);
    }
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

test("very many complaints are cut, errors first, and the cut is told", () => {
  const source = around(
    `provider: acme\nproxy: {enabled: true}\n${Array.from({ length: 600 }, (_, i) => `k${i}: 1`).join("\n")}\nmodule: 3`,
  );
  const { complaints } = check(source);
  assert.equal(complaints.length, 501);
  assert.equal(complaints.at(-1)?.rule, "too-many-complaints");
  assert.equal(complaints.filter(({ rule }) => rule === "wrong-type").length, 1);
});
