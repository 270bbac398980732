/** Guards the check of configurations against their manifest, and the form in which they are kept. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Json, JsonObject } from "../ground/json.ts";
import { listFeatures } from "../connector-kit/provider-info.ts";
import { buildCatalog } from "../connectors/catalog.ts";
import { checkConfig } from "./check-config.ts";
import { completeConfig } from "./complete-config.ts";
import type { ManifestIntegration } from "./manifest.ts";

const integration: ManifestIntegration = {
  name: "sync",
  provider: "hubspot",
  read: {
    objects: [
      {
        objectName: "contacts",
        destination: "hook",
        requiredFields: [{ fieldName: "email" }, { fieldName: "city", mapToName: "town" }],
        optionalFields: [{ mapToName: "score" }],
      },
      { objectName: "companies", destination: "hook", requiredFields: [{ mapToName: "tier" }] },
      { objectName: "notes", destination: "hook", optionalFieldsAuto: "all" },
    ],
  },
  write: { objects: [{ objectName: "contacts" }, { objectName: "user/emails" }] },
  proxy: { enabled: true },
  subscribe: {
    objects: [
      {
        objectName: "contacts",
        destination: "events",
        inheritFieldsAndMapping: true,
        updateEvent: { enabled: "always", requiredWatchFields: ["email"] },
      },
      { objectName: "notes", destination: "events" },
    ],
  },
};
const catalog = buildCatalog();
const on = (provider: string, module?: string): ManifestIntegration => ({ ...integration, provider, module });

const check = (content: unknown, against = integration) =>
  checkConfig(content, against, listFeatures(catalog.find(against.provider), against.module));
const names = (content: unknown, against = integration) => check(content, against).map(({ name }) => name);
const read = (object: Json, name = "contacts"): JsonObject => ({ read: { objects: { [name]: object } } });
const write = (object: Json, name = "contacts"): JsonObject => ({ write: { objects: { [name]: object } } });
const subscribe = (object: Json, name = "contacts"): JsonObject => ({
  subscribe: { objects: { [name]: object } },
});
const READ = "config.content.read.objects.contacts";
const WRITE = "config.content.write.objects.contacts";
const SUBSCRIBE = "config.content.subscribe.objects.contacts";

describe("what clients send is accepted", () => {
  test("nothing at all, empty blocks and a switched proxy", () => {
    for (const content of [{}, { read: {} }, { read: { objects: {} } }, { proxy: { enabled: false } }]) {
      assert.deepEqual(check(content), []);
    }
  });
  test("the form of the published UI, with empty choices and without what the manifest supplies", () => {
    const content = {
      provider: "hubspot",
      read: {
        objects: {
          contacts: {
            objectName: "contacts",
            selectedFields: { phone: true, fax: false },
            selectedFieldMappings: { score: "" },
            selectedValueMappings: {},
            dynamicMappingsInput: [
              { mapToName: "stage", mappedValues: [{ mappedValue: "a", mappedDisplayValue: "A" }] },
            ],
          },
        },
      },
      write: {
        objects: { contacts: { objectName: "contacts", selectedValueDefaults: { city: { value: "x" } } } },
      },
    };
    assert.deepEqual(check(content), []);
  });
  test("an object whose manifest requires fields needs no further selection", () => {
    assert.deepEqual(check(read({})), []);
    assert.deepEqual(check(read({ selectedFields: {}, selectedFieldMappings: {} })), []);
  });
  test("members that nobody knows and members that are null", () => {
    assert.deepEqual(
      check({ custom: { a: 1 }, read: null, ...write({ note: [1], deletionSettings: null }) }),
      [],
    );
    assert.deepEqual(
      check(write({ inheritMapping: true, deletionSettings: { enabled: true } }, "user/emails")),
      [],
    );
  });
});

describe("what does not fit is reported with its place", () => {
  test("another provider", () => {
    const [issue] = check({ provider: "salesforce" });
    assert.equal(issue?.name, "config.content.provider");
    assert.equal(issue?.value, "salesforce");
    assert.match(issue?.detail ?? "", /hubspot/);
  });
  test("objects that the manifest does not list for the action, with a suggestion", () => {
    const [issue] = check(write({}, "Contacts"));
    assert.deepEqual(
      [issue?.in, issue?.name, issue?.remedy],
      ["body", "config.content.write.objects.Contacts", 'Did you mean "contacts"?'],
    );
    assert.deepEqual(names(write({ objectName: "companies" }, "x")), ["config.content.write.objects.x"]);
    assert.match(
      check(read({}, "deals"), { name: "a", provider: "hubspot" })[0]?.remedy ?? "",
      /no `read` objects/,
    );
  });
  test("the same object under two keys", () => {
    const content = { write: { objects: { contacts: {}, other: { objectName: "contacts" } } } };
    assert.deepEqual(names(content), ["config.content.write.objects.other"]);
  });
  test("wrong types, anywhere, without an exception", () => {
    for (const content of [null, undefined, [], 5]) assert.deepEqual(names(content), ["config.content"]);
    assert.deepEqual(names("text"), ["config.content"]);
    assert.deepEqual(names({ read: [], write: { objects: [] }, proxy: { enabled: "yes" } }), [
      "config.content.read",
      "config.content.write.objects",
      "config.content.proxy.enabled",
    ]);
    assert.deepEqual(
      names(read({ selectedFields: { a: "yes" }, selectedFieldMappings: { b: 1 }, schedule: 5 })),
      [`${READ}.selectedFields.a`, `${READ}.selectedFieldMappings.b`, `${READ}.schedule`],
    );
  });
  test("several issues are reported at once", () => {
    assert.equal(
      check({ provider: "x", ...write({ deletionSettings: {} }), ...read({ schedule: "never" }) }).length,
      3,
    );
  });
});

describe("read", () => {
  test("a schedule is valid and not too frequent; empty means none", () => {
    assert.deepEqual(names(read({ schedule: "" })), []);
    assert.deepEqual(names(read({ schedule: "*/10 * * * *" })), []);
    assert.deepEqual(names(read({ schedule: "*/5 * * * *" })), [`${READ}.schedule`]);
    assert.deepEqual(names(read({ schedule: "hourly" })), [`${READ}.schedule`]);
  });
  test("required mappings of configured objects must be chosen, those of other objects not", () => {
    const tier = "config.content.read.objects.companies.selectedFieldMappings.tier";
    assert.deepEqual(names(read({}, "companies")), [tier]);
    assert.deepEqual(names(read({ selectedFieldMappings: { tier: "" } }, "companies")), [tier]);
    assert.deepEqual(names(read({ selectedFieldMappings: { tier: "rank" } }, "companies")), []);
    assert.deepEqual(names(read({})), []);
  });
  test("two names cannot be mapped to the same field", () => {
    const content = read({ selectedFieldMappings: { score: "a", other: "a", empty: "", none: "" } });
    assert.deepEqual(names(content), [`${READ}.selectedFieldMappings.other`]);
  });
  test("fields may be entries of lists, mapped names and filters may not", () => {
    const entry = "$['emails'][?primary]['value']";
    assert.deepEqual(names(read({ selectedFieldMappings: { score: entry } })), []);
    const mappings = `${READ}.selectedFieldMappings`;
    assert.deepEqual(names(read({ selectedFieldMappings: { score: "$['emails'][?]" } })), [
      `${mappings}.score`,
    ]);
    const named = names(read({ selectedFieldMappings: { "$['x'][0]": "a" } }));
    assert.equal(named.length, 1);
    const dynamic = [
      { mapToName: "one", fieldName: entry },
      { mapToName: "two", fieldName: "$['a'" },
    ];
    assert.deepEqual(names(read({ selectedFields: { a: true }, dynamicMappingsInput: dynamic })), [
      `${READ}.dynamicMappingsInput[1].fieldName`,
    ]);
    const filters = [entry, "score", "email"].map((fieldName) => ({ fieldName, operator: "eq", value: "a" }));
    const filtered = {
      fieldFilters: filters,
      backfill: { defaultPeriod: { days: 1 }, fieldFilters: filters },
    };
    assert.deepEqual(names(read({ selectedFieldMappings: { score: entry }, ...filtered })), [
      `${READ}.fieldFilters[0].fieldName`,
      `${READ}.fieldFilters[1].fieldName`,
      `${READ}.backfill.fieldFilters[0].fieldName`,
      `${READ}.backfill.fieldFilters[1].fieldName`,
    ]);
  });

  test("two delivered values cannot stand for the same value of the provider", () => {
    const content = read({ selectedValueMappings: { stage: { open: "1", won: "2", lost: "2" } } });
    assert.deepEqual(names(content), [`${READ}.selectedValueMappings.stage.lost`]);
  });
  test("a backfill takes exactly one period", () => {
    const period = (defaultPeriod: Json) => names(read({ backfill: { defaultPeriod } }));
    assert.deepEqual(period({ days: 0 }), []);
    assert.deepEqual(period({ fullHistory: true }), []);
    assert.deepEqual(period({}), [`${READ}.backfill.defaultPeriod`]);
    assert.deepEqual(period({ days: 1, fullHistory: true }), [`${READ}.backfill.defaultPeriod`]);
    assert.deepEqual(period({ days: -1 }), [`${READ}.backfill.defaultPeriod.days`]);
    assert.deepEqual(names(read({ backfill: {} })), [`${READ}.backfill.defaultPeriod`]);
  });
  test("filters are refused where the catalog does not say that the provider has them; one condition for each field", () => {
    const filter = (fieldName: string, value: Json = "x") => ({ fieldName, operator: "eq", value });
    const content = read({
      fieldFilters: [filter("a"), filter("b", 3)],
      backfill: { defaultPeriod: { days: 1 }, fieldFilters: [filter("a", false)] },
    });
    assert.deepEqual(names(content), []);
    assert.deepEqual(names(content, on("salesforce")), []);
    assert.equal(names(content, on("salesforce", "account-engagement")).length, 2);
    assert.equal(names(content, on("pipedrive")).length, 2);
    const at = `${READ}.fieldFilters`;
    assert.deepEqual(names(read({ fieldFilters: [filter("a"), filter("a")] })), [`${at}[1].fieldName`]);
    assert.deepEqual(names(read({ fieldFilters: [filter("")] })), [`${at}[0].fieldName`]);
    assert.deepEqual(names(read({ fieldFilters: [{ fieldName: "a", operator: "gt", value: [] }, {}] })), [
      `${at}[0].operator`,
      `${at}[0].value`,
      `${at}[1].fieldName`,
      `${at}[1].operator`,
      `${at}[1].value`,
    ]);
  });
  test("associated objects and deletions can be asked for or declined", () => {
    assert.deepEqual(names(read({ associatedObjects: ["deals"], deletedRecords: "never" })), []);
    assert.deepEqual(names(read({ associatedObjects: [], deletedRecords: "always" })), []);
    assert.deepEqual(names(read({ associatedObjects: ["deals", ""], deletedRecords: true })), [
      `${READ}.deletedRecords`,
      `${READ}.associatedObjects[1]`,
    ]);
  });
  test("an object of which nothing would be read is refused", () => {
    const notes = "config.content.read.objects.notes.selectedFields";
    assert.deepEqual(names(read({ selectedFields: { a: false } }, "notes")), [notes]);
    const objects: Json[] = [
      { selectedFields: { a: true } },
      { selectedFieldsAuto: "all" },
      { selectedFieldMappings: { a: "b" } },
      { disabled: true },
    ];
    for (const object of objects) {
      assert.deepEqual(names(read(object, "notes")), []);
    }
  });
});

describe("write", () => {
  test("a default has exactly one value of the kind that it is given as", () => {
    const setting = (value: Json) => names(write({ selectedFieldSettings: { city: { default: value } } }));
    const at = `${WRITE}.selectedFieldSettings.city.default`;
    assert.deepEqual(setting({ stringValue: "" }), []);
    assert.deepEqual(setting({ booleanValue: false }), []);
    assert.deepEqual(setting({}), [at]);
    assert.deepEqual(setting({ stringValue: "a", integerValue: 1 }), [at]);
    assert.deepEqual(setting({ integerValue: 1.5 }), [`${at}.integerValue`]);
  });
  test("when to write is one of the known words; ifEmpty is for updates at providers whose connector can read first", () => {
    const setting = (value: Json, against = integration) =>
      names(write({ selectedFieldSettings: { city: value } }), against);
    const at = `${WRITE}.selectedFieldSettings.city`;
    assert.deepEqual(setting({ writeOnCreate: "never", writeOnUpdate: "ifEmpty" }), []);
    assert.deepEqual(setting({ writeOnUpdate: "ifEmpty" }, on("braze")), [`${at}.writeOnUpdate`]);
    assert.deepEqual(setting({ writeOnCreate: "ifEmpty", writeOnUpdate: "sometimes" }), [
      `${at}.writeOnCreate`,
      `${at}.writeOnUpdate`,
    ]);
  });
  test("deletion settings say whether they are enabled", () => {
    assert.deepEqual(names(write({ deletionSettings: {} })), [`${WRITE}.deletionSettings.enabled`]);
    assert.deepEqual(names(write({ deletionSettings: { enabled: "true" } })), [
      `${WRITE}.deletionSettings.enabled`,
    ]);
  });
});

describe("subscribe", () => {
  test("events are always or never, and updates know what to watch", () => {
    assert.deepEqual(
      names(subscribe({ createEvent: { enabled: "never" }, updateEvent: { enabled: "always" } })),
      [],
    );
    assert.deepEqual(names(subscribe({ createEvent: { enabled: true } })), [
      `${SUBSCRIBE}.createEvent.enabled`,
    ]);
    assert.deepEqual(names(subscribe({ updateEvent: { enabled: "always" } }, "notes")).length, 1);
    const selected = { enabled: "always", watchFieldsAuto: "selected" };
    assert.deepEqual(names(subscribe({ updateEvent: selected })), [
      `${SUBSCRIBE}.updateEvent.watchFieldsAuto`,
    ]);
    const both = { enabled: "always", watchFieldsAuto: "all", requiredWatchFields: ["a"] };
    assert.deepEqual(names(subscribe({ updateEvent: both })), [
      `${SUBSCRIBE}.updateEvent.requiredWatchFields`,
    ]);
    const nested = { enabled: "always", requiredWatchFields: ["a.b"] };
    assert.deepEqual(names(subscribe({ updateEvent: nested })), [
      `${SUBSCRIBE}.updateEvent.requiredWatchFields[0]`,
    ]);
  });
  test("events of records need the inherited fields", () => {
    const content = subscribe({ inheritFieldsAndMappings: false, deleteEvent: { enabled: "always" } });
    assert.deepEqual(names(content), [`${SUBSCRIBE}.inheritFieldsAndMappings`]);
  });
  test("quota optimization is refused where the catalog does not name it, and needs listed fields", () => {
    const quota = (updateEvent?: Json) =>
      subscribe({
        ...(updateEvent === undefined ? {} : { updateEvent }),
        providerOptions: { quotaOptimization: { enabled: true } },
      });
    const at = `${SUBSCRIBE}.providerOptions.quotaOptimization`;
    assert.deepEqual(names(quota()), [at]);
    assert.deepEqual(names(quota(), on("salesforce")), []);
    assert.deepEqual(names(quota({ enabled: "always", watchFieldsAuto: "all" }), on("salesforce")), [at]);
    assert.deepEqual(names(quota({ enabled: "always", requiredWatchFields: ["a"] }), on("salesforce")), []);
  });
});

describe("the form that is kept", () => {
  test("read objects always carry their name and both maps, subscribe objects what the manifest says", () => {
    const content = completeConfig(
      { extra: 1, ...read({ mine: null }), ...write({}), subscribe: { objects: { contacts: {} } } },
      integration,
    );
    assert.deepEqual(content, {
      extra: 1,
      provider: "hubspot",
      read: {
        objects: {
          contacts: { mine: null, objectName: "contacts", selectedFields: {}, selectedFieldMappings: {} },
        },
      },
      write: { objects: { contacts: { objectName: "contacts" } } },
      subscribe: {
        objects: {
          contacts: { objectName: "contacts", destination: "events", inheritFieldsAndMappings: true },
        },
      },
    });
  });
  test("what was chosen stays, nulls go, and completing twice changes nothing", () => {
    const given = read({ selectedFields: { a: true, b: null }, destination: null, schedule: "0 * * * *" });
    const once = completeConfig(given, integration);
    assert.deepEqual(once.read?.objects?.["contacts"], {
      selectedFields: { a: true },
      schedule: "0 * * * *",
      objectName: "contacts",
      selectedFieldMappings: {},
    });
    assert.deepEqual(completeConfig(JSON.parse(JSON.stringify(once)), integration), once);
  });
  test("whatever is sent, checking never throws, and what has no issue can be completed", () => {
    let seed = 99;
    const random = (below: number) => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) % below;
    const words =
      "provider read write subscribe proxy objects contacts objectName schedule selectedFields selectedFieldMappings backfill defaultPeriod days fieldFilters deletionSettings enabled updateEvent __proto__".split(
        " ",
      );
    const scalars: Json[] = [null, true, false, 0, -1, 1.5, "", "hubspot", "contacts", "always", "0 * * * *"];
    const value = (depth: number): Json => {
      const kind = random(depth > 5 ? 1 : 5);
      if (kind === 0) return scalars[random(scalars.length)] ?? null;
      if (kind === 1) return Array.from({ length: random(3) }, () => value(depth + 1));
      return Object.fromEntries(
        Array.from({ length: random(5) }, () => [words[random(words.length)] ?? "", value(depth + 1)]),
      );
    };
    let sound = 0;
    for (let round = 0; round < 5000; round++) {
      const content = value(0);
      if (check(content).length > 0) continue;
      sound++;
      completeConfig(content, integration);
    }
    assert.ok(sound > 50);
  });
});
