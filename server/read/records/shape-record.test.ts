/** Guards the entries of messages: what is delivered of a record, where, and with which values. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { SourceRecord } from "../../../connector-kit/read-connector.ts";
import type { JsonObject } from "../../../ground/json.ts";
import { defined, buildMetadata, names } from "../../../tests/fixtures/read-fixture.ts";
import { readSet } from "../definition/read-set.ts";
import { shapeDeletion, shapeRecords } from "./shape-record.ts";

const record = (values: JsonObject, more: Partial<SourceRecord> = {}): SourceRecord => ({
  id: "001",
  raw: values,
  values,
  ...more,
});

const readEntry = (
  definition: ReturnType<typeof defined>,
  values: JsonObject,
  metadata?: ReturnType<typeof buildMetadata>,
) => shapeRecords(readSet(definition, metadata, names), names).shape(record(values));

/** Returns the mapped fields of a record, by path and mapped name. */
const readMapped = (paths: Record<string, string>, values: JsonObject): unknown => {
  const requiredFields = Object.entries(paths).map(([fieldName, mapToName]) => ({ fieldName, mapToName }));
  return readEntry(defined({ requiredFields }), values).mappedFields;
};

describe("the members of an entry", () => {
  const required = (...fieldNames: string[]) => ({
    requiredFields: fieldNames.map((fieldName) => ({ fieldName })),
  });

  test("selected fields have keys in lower case, mapped ones the builder's names, the record stays as it is", () => {
    const manifest = {
      requiredFields: [{ fieldName: "AnnualRevenue" }, { fieldName: "name", mapToName: "accountName" }],
    };
    const values = { Id: "001", AnnualRevenue: 12_000, Name: "Northwind", Secret: "x" };
    const entry = readEntry(defined(manifest), values);
    assert.deepEqual(entry, {
      id: "001",
      fields: { annualrevenue: 12_000 },
      mappedFields: { accountName: "Northwind" },
      raw: values,
    });
    assert.equal(entry.raw, values);
  });

  test("a field both selected and mapped is in both", () => {
    const manifest = { requiredFields: [{ fieldName: "email" }, { mapToName: "mail" }] };
    const entry = readEntry(defined(manifest, { selectedFieldMappings: { mail: "email" } }), {
      email: "a@b.c",
    });
    assert.deepEqual([entry.fields, entry.mappedFields], [{ email: "a@b.c" }, { mail: "a@b.c" }]);
  });

  test("null stays null, and what the record does not have is left out", () => {
    assert.deepEqual(readEntry(defined(required("a", "b")), { a: null }).fields, { a: null });
  });

  test("null stays null under another spelling, also in the first record", () => {
    const manifest = {
      requiredFields: [{ fieldName: "phone" }, { fieldName: "billingcity", mapToName: "city" }],
    };
    const values = { Id: "001", Phone: null, BillingCity: null };
    const { fields, mappedFields } = readEntry(defined(manifest), values);
    assert.deepEqual([fields, mappedFields], [{ phone: null }, { city: null }]);
  });

  test("the id is in the fields if it is selected, whether the record's values have it or not", () => {
    assert.deepEqual(readEntry(defined(required("id")), {}).fields, { id: "001" });
    assert.deepEqual(readEntry(defined(required("id")), { Id: "00A" }).fields, { id: "00A" });
    assert.deepEqual(readEntry(defined(required("name")), { Id: "00A" }).fields, {});
  });

  test("paths lead into nested objects, unmapped as nested objects and mapped as named", () => {
    const manifest = {
      requiredFields: [
        { fieldName: "$['Address']['City']" },
        { fieldName: "$['Address']['Zip']" },
        { fieldName: "$['Address']['No']['Such']" },
        { fieldName: "$['Address']['City']", mapToName: "$['where']['city']" },
      ],
    };
    const Address = { City: "Oslo", zip: "0150", Street: "x" };
    const entry = readEntry(defined(manifest), { Address });
    assert.deepEqual(entry.fields, { Address: { City: "Oslo", Zip: "0150" } });
    assert.deepEqual(entry.mappedFields, { where: { city: "Oslo" } });
    assert.deepEqual(Address, { City: "Oslo", zip: "0150", Street: "x" });
  });

  test("a step of a field that is delivered as a whole changes nothing of it", () => {
    const address = { city: "Oslo", zip: "0150" };
    const entry = readEntry(defined(required("address", "$['address']['city']")), { address });
    assert.deepEqual(entry.fields, { address });
  });

  test("an entry of a list is found by position or condition, in the shapes of four vendors", () => {
    // Pipedrive's client-nodejs 2026-04-20, v2 models add-person-request-emails-inner.
    assert.deepEqual(
      readMapped(
        {
          "$['emails'][0]['value']": "first",
          "$['emails'][?primary]['value']": "main",
          "$['emails'][?label='work']['value']": "work",
        },
        {
          emails: [
            { value: "ada@home.example", primary: false, label: "home" },
            { value: "ada@work.example", primary: true, label: "work" },
            { value: "ada@other.example", primary: false, label: "work" },
          ],
        },
      ),
      { first: "ada@home.example", main: "ada@work.example", work: "ada@work.example" },
    );
    // Google's People API, EmailAddress (metadata: FieldMetadata); its Calendar API, attendees[].self of an event.
    assert.deepEqual(
      readMapped(
        {
          "$['emailAddresses'][?metadata.primary]['value']": "main",
          "$['attendees'][?self]['responseStatus']": "answer",
        },
        {
          emailAddresses: [
            { metadata: { source: { type: "CONTACT", id: "1" } }, value: "a@b.example", type: "home" },
            { metadata: { primary: true, source: { type: "CONTACT", id: "1" } }, value: "c@d.example" },
          ],
          attendees: [
            { email: "x@y.example" },
            { email: "c@d.example", self: true, responseStatus: "accepted" },
          ],
        },
      ),
      { main: "c@d.example", answer: "accepted" },
    );
    // Zoho CRM's published crm-oas 2025-06-27, v8.0/record.json: tags and rows of subforms.
    assert.deepEqual(
      readMapped(
        { "$['Tag'][0]['name']": "tag", "$['Ordered_Items'][?Sequence_Number=2]['Quantity']": "second" },
        {
          Tag: [{ name: "vip", id: "1" }],
          Ordered_Items: [
            { Sequence_Number: 1, Quantity: 5 },
            { Sequence_Number: 2, Quantity: 7 },
          ],
        },
      ),
      { tag: "vip", second: 7 },
    );
    // Microsoft Graph v1.0, the resource contact: emailAddresses of names and addresses, businessPhones of texts.
    assert.deepEqual(
      readMapped(
        { "$['emailAddresses'][0]['address']": "mail", "$['businessPhones'][1]": "phone" },
        {
          emailAddresses: [{ name: "Ada", address: "ada@work.example" }],
          businessPhones: ["+47 1", "+47 2"],
        },
      ),
      { mail: "ada@work.example", phone: "+47 2" },
    );
  });

  test("what a list does not have is null, what the record does not have is left out", () => {
    const paths = { "$['emails'][?primary]['value']": "main", "$['emails'][1]['value']": "second" };
    const none = { main: null, second: null };
    for (const emails of [[], [{ value: "a" }], [{ value: "a", primary: "yes" }], ["a"], null])
      assert.deepEqual(readMapped(paths, { emails }), none, JSON.stringify(emails));
    assert.deepEqual(readMapped(paths, { emails: [{ primary: true }] }), none);
    for (const values of [{}, { emails: "a" }, { emails: { 1: { value: "a" } } }] as JsonObject[])
      assert.deepEqual(readMapped(paths, values), {}, JSON.stringify(values));
  });

  test("an entry of a list without a mapped name stands under its path", () => {
    const path = "$['emails'][0]['value']";
    const values = { emails: [{ value: "a" }] };
    assert.deepEqual(readEntry(defined(required(path)), values).fields, { [path]: "a" });
    assert.deepEqual(readEntry(defined(required(path, "emails")), values).fields, { ...values, [path]: "a" });
  });

  test("fields of a related object are found by their path", () => {
    const metadata = buildMetadata({ fieldName: "OwnerId" });
    const definition = defined(required("Owner.Name", "$['Owner']['Email']"));
    const { fields } = readEntry(definition, { Owner: { Name: "Ada", Email: null } }, metadata);
    assert.deepEqual(fields, { "owner.name": "Ada", Owner: { Email: null } });
  });

  test("names of built-in members are fields like any other", () => {
    const values: JsonObject = JSON.parse('{"__proto__": {"x": 1}, "toString": "text"}');
    const shaped = readEntry(defined(required("__proto__", "toString", "constructor")), values).fields;
    assert.equal(JSON.stringify(shaped), '{"__proto__":{"x":1},"tostring":"text"}');
    assert.equal(Object.getPrototypeOf(shaped), Object.prototype);
  });

  test("the spelling of answers may differ from record to record", () => {
    const { shape } = shapeRecords(readSet(defined(required("email")), undefined, names), names);
    const emails = [{ Email: "a" }, { EMAIL: "b" }, {}, { email: "c" }].map(
      (values) => shape(record(values as JsonObject)).fields,
    );
    assert.deepEqual(emails, [{ email: "a" }, { email: "b" }, {}, { email: "c" }]);
  });

  test("associated records have their ids and what the provider says about them", () => {
    const associations = {
      deals: [
        { id: "7", metadata: { associationTypes: [{ typeId: 279 }] } },
        { id: "8", raw: { Id: "8" } },
      ],
    };
    const { shape } = shapeRecords(readSet(defined(), undefined, names), names);
    assert.deepEqual(shape(record({}, { associations })).associations, {
      deals: [
        { id: "7", providerAssociationMetadata: { associationTypes: [{ typeId: 279 }] } },
        { id: "8", raw: { Id: "8" } },
      ],
    });
    assert.ok(!("associations" in shape(record({}))));
  });

  test("a deletion has the id, when it happened, and that it is one", () => {
    const deletedTime = new Date(0);
    assert.deepEqual(shapeDeletion({ id: "7", raw: { a: 1 }, deletedTime }, "1970-01-01T00:00:01.000Z"), {
      id: "7",
      changeTime: "1970-01-01T00:00:00.000Z",
      readTime: "1970-01-01T00:00:01.000Z",
      fields: { id: "7" },
      mappedFields: {},
      raw: { a: 1 },
      deleted: true,
      deletedTime: "1970-01-01T00:00:00.000Z",
    });
  });

  test("selected and mapped fields that no record had are known after the first", () => {
    const manifest = { requiredFields: [{ fieldName: "a" }, { fieldName: "b" }, { mapToName: "mine" }] };
    const definition = defined(manifest, { selectedFieldMappings: { mine: "c" } });
    const shaper = shapeRecords(readSet(definition, undefined, names), names);
    assert.deepEqual(shaper.missing(), []);
    shaper.shape(record({ a: 1 }));
    assert.deepEqual(shaper.missing(), ["b", "c"]);
    shaper.shape(record({ c: null }));
    assert.deepEqual(shaper.missing(), ["b"]);
  });

  test("what an object that is null would hold is null, and no missing field", () => {
    const mapped = { fieldName: "$['Owner']['Email']", mapToName: "$['who']['mail']" };
    const definition = defined({ requiredFields: [{ fieldName: "$['Owner']['Name']" }, mapped] });
    const shaper = shapeRecords(readSet(definition, buildMetadata({ fieldName: "OwnerId" }), names), names);
    const { fields, mappedFields } = shaper.shape(record({ Owner: null }));
    assert.deepEqual([fields, mappedFields], [{ Owner: { Name: null } }, { who: { mail: null } }]);
    assert.deepEqual(shaper.missing(), []);
  });
});

describe("a provider whose records have no member for a field without a value", () => {
  const definition = defined({
    requiredFields: ["phone", "fax", "typo", "$['address']['city']", "$['emails'][0]['value']"].map(
      (fieldName) => ({
        fieldName,
      }),
    ),
  });
  const openShaper = (known: string[] = [], absentMeansEmpty = true) =>
    shapeRecords(readSet(definition, undefined, names), names, { absentMeansEmpty, known });
  const full = record({ phone: "1", fax: "2", address: { city: "Oslo" }, emails: [{ value: "a@b.c" }] });
  const empty = record({ address: { zip: "0150" } });

  test("a field that another record of the page has is null, also one in an object, and one that none has stays absent", () => {
    const shaper = openShaper();
    shaper.learn([empty, full]);
    assert.deepEqual(shaper.shape(empty).fields, {
      phone: null,
      fax: null,
      address: { city: null },
      "$['emails'][0]['value']": null,
    });
    assert.deepEqual(shaper.missing(), ["typo"]);
  });

  test("a field that records had before is null, until the account turns out to have it no more", () => {
    const shaper = openShaper(["phone", "fax", "$['address']['city']"]);
    shaper.learn([empty]);
    assert.deepEqual(shaper.missing(), [
      "phone",
      "fax",
      "typo",
      "$['address']['city']",
      "$['emails'][0]['value']",
    ]);
    assert.deepEqual(shaper.shape(empty).fields, { phone: null, fax: null, address: { city: null } });
    shaper.leaveOut(["phone"]);
    assert.deepEqual(shaper.shape(empty).fields, { fax: null, address: { city: null } });
  });

  test("what it learned is told once, and is not what was known", () => {
    const shaper = openShaper(["phone"]);
    shaper.learn([full]);
    assert.deepEqual(shaper.takeLearned(), ["fax", "$['address']['city']", "$['emails'][0]['value']"]);
    assert.equal(shaper.takeLearned(), undefined);
  });

  test("that no record had any of the fields is remembered, too", () => {
    const shaper = shapeRecords(readSet(definition, undefined, names), names, {
      absentMeansEmpty: true,
      known: null,
    });
    assert.equal(shaper.takeLearned(), undefined);
    shaper.learn([empty]);
    assert.deepEqual([shaper.takeLearned(), shaper.takeLearned()], [[], undefined]);
  });

  test("where absence may mean something else, an absent field stays absent, and nothing is remembered", () => {
    const shaper = openShaper(["phone"], false);
    shaper.learn([full, empty]);
    assert.deepEqual(shaper.shape(empty).fields, {});
    assert.equal(shaper.takeLearned(), undefined);
  });
});

describe("mapped values", () => {
  const tables = { tier: { gold: "1", silver: "2" } };
  const manifest = { requiredFields: [{ mapToName: "tier" }, { fieldName: "Tier__c" }] };
  const definition = defined(manifest, {
    selectedFieldMappings: { tier: "Tier__c" },
    selectedValueMappings: tables,
  });
  const tiers = (value: JsonObject[string], metadata?: ReturnType<typeof buildMetadata>) => {
    const values = { Tier__c: value };
    const { fields, mappedFields, raw } = readEntry(definition, values, metadata);
    assert.deepEqual(raw, values);
    assert.deepEqual(fields["tier__c"], mappedFields["tier"]);
    return mappedFields["tier"];
  };

  test("are delivered in fields and mapped fields, found as text, never in raw", () => {
    assert.equal(tiers("1"), "gold");
    assert.equal(tiers(2), "silver");
  });

  test("that the table does not have stay as they are", () => {
    assert.equal(tiers("9"), "9");
    assert.equal(tiers(null), null);
    assert.equal(tiers(false), false);
    assert.deepEqual(tiers({ a: "1" }), { a: "1" });
  });

  test("of a multi-select are mapped one by one", () => {
    assert.equal(tiers("2;x;1"), "silver;x;gold");
    assert.deepEqual(tiers(["2", "x"]), ["silver", "x"]);
    assert.equal(
      tiers("2;1", buildMetadata({ fieldName: "Tier__c", valueType: "multiSelect" })),
      "silver;gold",
    );
    assert.equal(tiers("2;1", buildMetadata({ fieldName: "Tier__c", valueType: "string" })), "2;1");
  });

  test("under a mapped name are not those of another field of the same name", () => {
    const entry = readEntry(
      defined(
        { requiredFields: [{ fieldName: "stage" }, { mapToName: "stage" }] },
        { selectedFieldMappings: { stage: "phase" }, selectedValueMappings: { stage: { won: "3" } } },
      ),
      { stage: "3", phase: "3" },
    );
    assert.deepEqual([entry.fields, entry.mappedFields], [{ stage: "3" }, { stage: "won" }]);
  });
});
