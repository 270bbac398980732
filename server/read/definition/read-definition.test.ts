/** Guards what is read of an object: manifest and configuration put together. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ConfigContent } from "../../../manifest/installation-config.ts";
import { findReadDefinition, readDefinitions } from "./read-definition.ts";
import { choosing, defined, reading } from "../../../tests/fixtures/read-fixture.ts";

test("the configuration's schedule, destination and backfill win; what it leaves out is the manifest's", () => {
  const manifest = { schedule: "0 * * * *", backfill: { defaultPeriod: { days: 30 } } };
  const { destination, schedule, backfill } = defined(manifest);
  assert.deepEqual([destination, schedule, backfill], ["hook", "0 * * * *", { days: 30 }]);
  const own = defined(manifest, {
    destination: "other",
    schedule: "*/10 * * * *",
    backfill: { defaultPeriod: { fullHistory: true } },
  });
  assert.deepEqual(
    [own.destination, own.schedule, own.backfill],
    ["other", "*/10 * * * *", { fullHistory: true }],
  );
});

test("an empty schedule and zero days are none", () => {
  const manifest = { schedule: "0 * * * *", backfill: { defaultPeriod: { days: 30 } } };
  const off = defined(manifest, { schedule: "", backfill: { defaultPeriod: { days: 0 } } });
  assert.ok(!("schedule" in off) && !("backfill" in off));
});

test("filters of the backfill replace the object's; an empty list means none", () => {
  const filter = (value: string) => ({ fieldName: "stage", operator: "eq" as const, value });
  const period = { defaultPeriod: { days: 1 } };
  const backfillFilters = (fieldFilters?: ReturnType<typeof filter>[]) =>
    defined(
      {},
      { fieldFilters: [filter("a")], backfill: { ...period, ...(fieldFilters && { fieldFilters }) } },
    ).backfillFilters;
  assert.deepEqual(backfillFilters(), [filter("a")]);
  assert.deepEqual(backfillFilters([filter("b")]), [filter("b")]);
  assert.deepEqual(backfillFilters([]), []);
});

test("required fields are always read, optional ones when they are chosen, excluded ones never with all", () => {
  const manifest = { requiredFields: [{ fieldName: "email" }], optionalFields: [{ fieldName: "phone" }] };
  assert.deepEqual(defined(manifest).fields, { required: ["email"], selected: [], all: false, excluded: [] });
  assert.deepEqual(
    defined(manifest, { selectedFields: { phone: true, fax: false }, selectedFieldsAuto: "all" }).fields,
    { required: ["email"], selected: ["phone"], all: true, excluded: ["fax"] },
  );
});

test("mappings come from the manifest, the customer's choice and added ones; without a field there is none", () => {
  const manifest = {
    requiredFields: [{ fieldName: "billingcity", mapToName: "city" }, { mapToName: "country" }],
    optionalFields: [{ mapToName: "tier", default: "rank" }],
  };
  assert.deepEqual([...defined(manifest).mappings], [["city", "billingcity"]]);
  const { mappings } = defined(manifest, {
    selectedFieldMappings: { country: "land", tier: "", city: "town" },
    dynamicMappingsInput: [{ mapToName: "owner", fieldName: "owner_id" }, { mapToName: "unused" }],
  });
  assert.deepEqual(Object.fromEntries(mappings), { city: "town", country: "land", owner: "owner_id" });
});

test("an optional field that the manifest maps is read only if the customer chose it, and then as mapped", () => {
  const manifest = { optionalFields: [{ fieldName: "mobilephone", mapToName: "phone" }] };
  const read = (configured: object) => {
    const { mappings, fields } = defined(manifest, configured);
    return [Object.fromEntries(mappings), fields.selected];
  };
  const mapped = [{ phone: "mobilephone" }, []];
  assert.deepEqual(read({}), [{}, []]);
  assert.deepEqual(read({ selectedFields: { mobilephone: true } }), mapped);
  assert.deepEqual(read({ selectedFields: { phone: true } }), mapped);
  assert.deepEqual(read({ selectedFieldMappings: { phone: "mobilephone" } }), mapped);
  assert.deepEqual(read({ selectedFieldsAuto: "all" }), mapped);
  assert.deepEqual(read({ selectedFieldsAuto: "all", selectedFields: { mobilephone: false } }), [{}, []]);
});

test("selecting a mapped name selects no field of that name, unless every field is offered", () => {
  const manifest = { requiredFields: [{ mapToName: "phone" }], optionalFields: [{ mapToName: "tier" }] };
  const selectedFields = { phone: true, tier: true, fax: true };
  assert.deepEqual(defined(manifest, { selectedFields }).fields.selected, ["fax"]);
  const offered = defined({ ...manifest, optionalFieldsAuto: "all" }, { selectedFields });
  assert.deepEqual(offered.fields.selected, ["phone", "tier", "fax"]);
});

test("deletions and associations are read if manifest or configuration ask for them", () => {
  const { associatedObjects, deletedRecords } = defined();
  assert.deepEqual([associatedObjects, deletedRecords], [[], false]);
  const manifest = { associatedObjects: ["deals", "deals"], deletedRecords: "always" as const };
  assert.deepEqual(defined(manifest).associatedObjects, ["deals"]);
  assert.equal(defined(manifest).deletedRecords, true);
  const none = defined(manifest, { associatedObjects: [], deletedRecords: "never" });
  assert.deepEqual([none.associatedObjects, none.deletedRecords], [[], false]);
});

test("the page size counts for delivery on request only", () => {
  assert.deepEqual(defined().delivery, { mode: "auto" });
  assert.deepEqual(defined({ delivery: { pageSize: 50 } }).delivery, { mode: "auto" });
  const delivery = { mode: "onRequest" as const, pageSize: 50 };
  assert.deepEqual(defined({ delivery }).delivery, delivery);
});

test("an installation reads what it lists and what is always enabled; always wins over disabled", () => {
  const revision = reading({}, { objectName: "contact" }, { objectName: "deal", enabled: "always" });
  const read = (config: ConfigContent) =>
    readDefinitions({ revisions: [revision], config }).map(({ objectName, disabled }) => [
      objectName,
      disabled,
    ]);
  assert.deepEqual(read({ provider: "acme" }), [["deal", false]]);
  assert.deepEqual(read(choosing({ disabled: true }, { objectName: "deal", disabled: true })), [
    ["account", true],
    ["deal", false],
  ]);
});

test("an object is found by the provider's name, else by the builder's, also when it is not installed", () => {
  const revision = reading({ mapToName: "contact" }, { objectName: "contact" }, { objectName: "Deal" });
  const find = (name: string) => findReadDefinition({ revisions: [revision], config: choosing({}) }, name);
  assert.equal(find("contact")?.objectName, "contact");
  assert.equal(find("contact")?.installed, false);
  assert.equal(find("account")?.messageName, "contact");
  assert.equal(find("deal"), undefined);
  const [mapped] = [
    findReadDefinition({ revisions: [reading({ mapToName: "company" })], config: choosing({}) }, "company"),
  ];
  assert.equal(mapped?.objectName, "account");
  assert.equal(mapped?.installed, true);
});

test("an object that the newest revision lost is read on as the newest revision that had it says", () => {
  const revisions = [
    reading({ objectName: "contact" }),
    reading({ schedule: "0 * * * *" }, { objectName: "deal", enabled: "always" }),
    reading({ schedule: "0 0 * * *" }),
  ];
  const read = readDefinitions({ revisions, config: choosing({}, { objectName: "contact" }) });
  assert.deepEqual(
    read.map(({ objectName, schedule }) => [objectName, schedule]),
    [
      ["contact", undefined],
      ["account", "0 * * * *"],
    ],
  );
  assert.deepEqual(readDefinitions({ revisions, config: choosing() }), []);
  assert.equal(findReadDefinition({ revisions, config: choosing() }, "account"), undefined);
});
