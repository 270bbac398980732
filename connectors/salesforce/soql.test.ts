/** Salesforce's queries: names, values by type, times, relations. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FieldMetadata, ObjectMetadata } from "../../connector-kit/fields.ts";
import { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import type { FieldFilter, ReadPlan } from "../../connector-kit/read-connector.ts";
import { read } from "./read.ts";
import { countQuery, sampleQuery, scanQuery } from "./soql.ts";

const TYPES: Record<string, string> = {
  Id: "id",
  Name: "string",
  Email: "email",
  Stage: "picklist",
  Regions: "multipicklist",
  Active: "boolean",
  Size: "double",
  Revenue: "currency",
  Count: "int",
  Total: "long",
  Share: "percent",
  Born: "date",
  Due: "datetime",
  AccountId: "reference",
  Region__c: "reference",
  Description: "textarea",
  SystemModstamp: "datetime",
};

const field = (fieldName: string, providerType: string): FieldMetadata => ({
  fieldName,
  displayName: fieldName,
  valueType: "other",
  providerType,
  readOnly: false,
  isCustom: false,
  isRequired: false,
  ...(providerType === "reference" && { referenceTo: [fieldName === "AccountId" ? "Account" : "Region__c"] }),
});
const described = (types = TYPES, more: Partial<ObjectMetadata> = {}): ObjectMetadata => ({
  name: "Contact",
  displayName: "Contact",
  fields: Object.fromEntries(Object.entries(types).map(([name, type]) => [name, field(name, type)])),
  ...more,
});
const plan = (more: Partial<ReadPlan> = {}): ReadPlan => ({
  objectName: "Contact",
  fields: ["email"],
  filters: [],
  associations: [],
  metadata: described(),
  ...more,
});
const where = (filter: FieldFilter, metadata: ObjectMetadata | undefined = described()): string => {
  const text = countQuery(plan({ filters: [filter], metadata }));
  return text.replace("SELECT COUNT() FROM Contact WHERE ", "");
};

test("a scan selects each field once, in the spelling of the description, in the order of ids", () => {
  const query = scanQuery(plan({ fields: ["email", "EMAIL", "id", "Account.Name"] }), "003Sb0000000001IAA");
  const behind = "Id > '003Sb0000000001IAA'";
  assert.equal(query, `SELECT Id,SystemModstamp,Email,Account.Name FROM Contact WHERE ${behind} ORDER BY Id`);
  assert.equal(sampleQuery(plan()), "SELECT Id,SystemModstamp,Email FROM Contact LIMIT 1");
});

test("times are in UTC and whole seconds", () => {
  const bounds = {
    since: new Date("2026-11-20T08:00:00.999Z"),
    until: new Date("2026-11-20T09:10:00+01:00"),
  };
  assert.match(
    scanQuery(plan(bounds)),
    /WHERE SystemModstamp >= 2026-11-20T08:00:00Z AND SystemModstamp <= 2026-11-20T08:10:00Z ORDER/,
  );
});

test("values are quoted and escaped by the type of the field", () => {
  const cases: [string, FieldFilter["value"], string][] = [
    ["name", `O'Brien \\ "x"\n`, String.raw`Name = 'O\'Brien \\ "x"\n'`],
    ["Name", 7, "Name = '7'"],
    ["Name", true, "Name = 'true'"],
    ["Stage", "Closed Won", "Stage = 'Closed Won'"],
    ["Regions", "North;South", "Regions = 'North;South'"],
    ["Active", true, "Active = true"],
    ["Active", "FALSE", "Active = false"],
    ["Size", 7.5, "Size = 7.5"],
    ["Size", "-3", "Size = -3"],
    ["Revenue", 12000, "Revenue = 12000"],
    ["Name", "\r\t\b\f", String.raw`Name = '\r\t\b\f'`],
    ["Count", 3, "Count = 3"],
    ["Total", 3, "Total = 3"],
    ["Share", 12.5, "Share = 12.5"],
    ["Id", "003Sb0000000001IAA", "Id = '003Sb0000000001IAA'"],
    ["Born", "1990-02-03", "Born = 1990-02-03"],
    ["Due", "2026-11-20T09:00:00+01:00", "Due = 2026-11-20T08:00:00Z"],
    ["AccountId", "001Sb0000000001IAA", "AccountId = '001Sb0000000001IAA'"],
    ["Account.Name", "x", "Account.Name = 'x'"],
  ];
  for (const [fieldName, value, expected] of cases) assert.equal(where({ fieldName, value }), expected);
});

test("without a description the type of the value decides", () => {
  const blind = (fieldName: string, value: FieldFilter["value"]) =>
    countQuery(plan({ filters: [{ fieldName, value }], metadata: undefined })).split("WHERE ")[1];
  assert.equal(blind("A", "1"), "A = '1'");
  assert.equal(blind("A", 1), "A = 1");
  assert.equal(blind("A", "x".repeat(4_000))?.length, 4_006);
  assert.equal(blind("A", false), "A = false");
});

test("a value of another type, a field that cannot be compared and a name that is none are refused by name", () => {
  const metadata = described(TYPES, { unfilterable: ["Description"] });
  const wrong: [string, FieldFilter["value"]][] = [
    ["Active", "yes"],
    ["Size", "many"],
    ["Size", 1e40],
    ["Born", "3.2.1990"],
    ["Due", "2026-11-20"],
    ["AccountId", "1' OR Name != '"],
    ["Name", "x".repeat(4_001)],
    ["Description", "x"],
    ["Name = 'x' OR Name", "x"],
  ];
  for (const [fieldName, value] of wrong) {
    assert.throws(
      () => where({ fieldName, value }, metadata),
      (error) => error instanceof ProviderError && error.kind === "invalid" && error.code === fieldName,
      `${fieldName} ${String(value)}`,
    );
  }
});

test("the change time is the first column that the object has and can compare", () => {
  const since = new Date(0);
  const column = (objectName: string, metadata?: ObjectMetadata): string | undefined =>
    / WHERE (\w+) >=/.exec(scanQuery(plan({ objectName, metadata, since, fields: [] })))?.[1];
  const times = { LastModifiedDate: "datetime", CreatedDate: "datetime" };
  assert.equal(column("Contact"), "SystemModstamp");
  assert.equal(column("AccountHistory"), "CreatedDate");
  assert.equal(column("AccountShare"), "LastModifiedDate");
  assert.equal(column("LoginHistory"), "LoginTime");
  assert.equal(column("X", described(times)), "LastModifiedDate");
  const fixed = described(
    { SystemModstamp: "datetime", CreatedDate: "datetime" },
    { unfilterable: ["SystemModstamp"] },
  );
  assert.equal(column("ActivityFieldHistory", fixed), "CreatedDate");
  assert.equal(column("X", described({ Id: "id" })), undefined);
});

test("objects that cannot be queried are refused before anything is sent", () => {
  const metadata = described(TYPES, { isReadable: false });
  assert.throws(() => read.preparePage(plan({ metadata })), { kind: "invalid" });
});

test("paths lead to parents by the reference's name, and addresses are not read with all", () => {
  const beyond = (...steps: string[]) => read.fieldBeyond?.(steps, described());
  assert.equal(beyond("Account", "Owner", "Name"), "Account.Owner.Name");
  assert.equal(beyond("Region__r", "Name"), "Region__r.Name");
  assert.equal(beyond("Nothing", "Name"), undefined);
  assert.equal(beyond("Account"), undefined);
  assert.equal(beyond("Account", "Na me"), undefined);
  assert.equal(read.isReadWithAll?.(field("BillingAddress", "address")), false);
  assert.equal(read.isReadWithAll?.(field("Place__c", "location")), false);
  assert.equal(read.isReadWithAll?.(field("Body", "base64")), false);
  assert.equal(read.isReadWithAll?.(field("BillingCity", "string")), true);
});
