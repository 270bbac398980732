/** Salesforce custom fields: definitions as the Metadata API takes them, merged with what is there. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProviderRequest } from "../../connector-kit/calls/provider-fetch.ts";
import { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import type { FieldDefinition, FieldRequest } from "../../connector-kit/fields.ts";
import { replay, type Reply } from "../../connector-kit/testing/replay.ts";
import { classify } from "./classify.ts";
import { buildField } from "./custom-field.ts";
import { planField, toJson } from "./custom-field-plan.ts";
import { fields } from "./fields.ts";
import { readXml } from "./xml.ts";

const busbar = (definition: Partial<FieldDefinition>): FieldRequest => ({
  objectName: "Account",
  definition: { fieldName: "Score__c", displayName: "Score", valueType: "string", ...definition },
});
const made = (definition: Partial<FieldDefinition>) => toJson(buildField(busbar(definition)));
const existing = (members: string) =>
  readXml(`<records><fullName>Account.Score__c</fullName><label>Score</label>${members}</records>`);
const envelope = (content: string): string =>
  `<?xml version="1.0"?><soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"><soapenv:Body>${content}</soapenv:Body></soapenv:Envelope>`;
const buildBody = (request: ProviderRequest | undefined): string => String(request?.body);

test("a new field has all that Salesforce insists on where the definition is silent", () => {
  const common = { fullName: "Account.Score__c", label: "Score" };
  const text = { ...common, type: "Text", length: "255" };
  assert.deepEqual(made({}), text);
  assert.deepEqual(made({ fieldName: "Score" }), text);
  assert.deepEqual(made({ stringOptions: { length: 300 } }), {
    ...common,
    type: "LongTextArea",
    length: "300",
    visibleLines: "10",
  });
  assert.deepEqual(made({ valueType: "boolean", required: true }), {
    ...common,
    type: "Checkbox",
    defaultValue: "false",
  });
  assert.deepEqual(made({ valueType: "int" }), { ...common, type: "Number", precision: "18", scale: "0" });
  assert.deepEqual(made({ valueType: "float", numericOptions: { precision: 5, scale: 2 } }), {
    ...common,
    type: "Number",
    precision: "5",
    scale: "2",
  });
  assert.deepEqual(
    made({
      association: { associationType: "lookup", targetObject: "Contact", targetField: "Id", required: true },
    }),
    { ...common, type: "Lookup", required: "true", deleteConstraint: "Restrict", referenceTo: "Contact" },
  );
});

test("defaults are formulas, and quotes in them stay quotes", () => {
  const findDefault = (valueType: FieldDefinition["valueType"], defaultValue: string) =>
    made({ valueType, stringOptions: { defaultValue } })["defaultValue"];
  assert.equal(findDefault("string", String.raw`say "hi" \ `), String.raw`"say \"hi\" \\ "`);
  assert.equal(findDefault("boolean", "true"), "true");
  assert.equal(findDefault("date", "2026-01-05"), "DATE(2026, 1, 5)");
  assert.equal(findDefault("datetime", "2026-01-05T10:00:00+01:00"), 'DATETIMEVALUE("2026-01-05 09:00:00")');
  assert.equal(
    made({ valueType: "float", numericOptions: { defaultValue: 1e-7 } })["defaultValue"],
    "0.000000100000000000",
  );
  const faults = fields.check(busbar({ valueType: "date", stringOptions: { defaultValue: "TODAY()" } }));
  assert.deepEqual(
    faults.map(({ member }) => member),
    ["stringOptions.defaultValue"],
  );
});

test("names, lengths, digits and references that no organisation could hold are faults", () => {
  const members = (definition: Partial<FieldDefinition>) =>
    fields.check(busbar(definition)).map(({ member }) => member);
  for (const fieldName of ["1a", "a b", "a__b", "a_", "ä", "x".repeat(41), "a.b", ""])
    assert.deepEqual(members({ fieldName }), ["fieldName"], fieldName);
  assert.deepEqual(members({ fieldName: "a_1__c" }), []);
  assert.deepEqual(members({ stringOptions: { length: 200_000 } }), ["stringOptions.length"]);
  assert.deepEqual(members({ valueType: "float", numericOptions: { precision: 19 } }), [
    "numericOptions.precision",
  ]);
  assert.deepEqual(members({ valueType: "int", numericOptions: { scale: 2 } }), ["numericOptions.scale"]);
  const association = { associationType: "lookup", targetObject: "No way", onDelete: "explode" };
  assert.deepEqual(members({ valueType: "reference", association }), [
    "association.targetObject",
    "association.onDelete",
  ]);
  assert.deepEqual(members({ displayName: "\u0000" }), ["displayName"]);
});

test("what the definition does not mention is sent back as it was", () => {
  const present = existing(
    "<type>Text</type><length>80</length><unique>true</unique><inlineHelpText>Ask Bob</inlineHelpText><trackHistory>true</trackHistory>",
  );
  assert.equal(planField(busbar({ unique: true }), present).component, undefined);
  const { component, outcome } = planField(
    busbar({ displayName: "New", stringOptions: { length: 100 } }),
    present,
  );
  assert.ok(component);
  assert.deepEqual(toJson(component), {
    fullName: "Account.Score__c",
    type: "Text",
    unique: "true",
    inlineHelpText: "Ask Bob",
    trackHistory: "true",
    label: "New",
    length: "100",
  });
  assert.deepEqual(outcome.warnings, []);
  const shorter = planField(busbar({ stringOptions: { length: 10 } }), present);
  assert.equal(shorter.component, undefined);
  assert.match(shorter.outcome.warnings.join(), /holds 80 characters, and stays so/);
});

test("values are added to those that are there, deactivated ones are left and told", () => {
  const present = existing(
    "<type>Picklist</type><valueSet><restricted>true</restricted><valueSetDefinition><sorted>true</sorted><value><fullName>Gold</fullName><default>true</default><label>Gold!</label></value><value><fullName>Old</fullName><default>false</default><isActive>false</isActive><label>Old</label></value></valueSetDefinition></valueSet>",
  );
  const choose = (values: string[]) => busbar({ valueType: "singleSelect", stringOptions: { values } });
  assert.equal(planField(choose(["Gold"]), present).component, undefined);
  const { component, outcome } = planField(choose(["Old", "New"]), present);
  assert.ok(component);
  const set = JSON.stringify(toJson(component)["valueSet"]);
  assert.match(set, /"restricted":"true"/);
  assert.match(set, /"label":"Gold!".*"isActive":"false".*"fullName":"New"/);
  assert.match(outcome.warnings.join(), /Old exist, but were deactivated/);
  const global = existing("<type>Picklist</type><valueSet><valueSetName>Tiers</valueSetName></valueSet>");
  const plan = planField(choose(["New"]), global);
  assert.equal(plan.component, undefined);
  assert.match(plan.outcome.warnings.join(), /global set Tiers/);
});

test("numbers grow and never shrink; other types and targets are conflicts with a remedy", () => {
  const number = existing("<type>Number</type><precision>10</precision><scale>0</scale>");
  const grown = planField(busbar({ valueType: "float", numericOptions: { precision: 8, scale: 2 } }), number);
  assert.ok(grown.component);
  const { precision, scale } = toJson(grown.component);
  assert.deepEqual([precision, scale], ["12", "2"]);
  assert.equal(planField(busbar({ valueType: "int" }), number).component, undefined);

  const email = planField(busbar({ required: true, unique: false }), existing("<type>Email</type>"));
  assert.equal(email.component, undefined);
  assert.deepEqual(email.outcome.warnings, ["required: left as it is, because the field is of type Email"]);
  const findConflict = (definition: Partial<FieldDefinition>, members: string) =>
    planField(busbar(definition), existing(members)).outcome.error;
  assert.equal(findConflict({}, "<type>Email</type>"), undefined);
  assert.match(
    findConflict({ valueType: "date" }, "<type>Text</type>")?.message ?? "",
    /define it as string/,
  );
  assert.match(findConflict({}, "<type>Text</type><formula>1</formula>")?.message ?? "", /formula/);
  const association = { associationType: "lookup", targetObject: "Contact" };
  const other = "<type>Lookup</type><referenceTo>User</referenceTo>";
  assert.match(findConflict({ valueType: "reference", association }, other)?.message ?? "", /refers to User/);
  assert.equal(findConflict({}, "<type>Text</type><formula>1</formula>")?.kind, "conflict");
});

test("the token's place is markup, which no text of a definition can become", async () => {
  const provider = replay(
    { status: 200, body: envelope("<readMetadataResponse><result/></readMetadataResponse>") },
    {
      status: 200,
      body: envelope(
        "<upsertMetadataResponse><result><created>false</created><errors><message>no</message><statusCode>FIELD_INTEGRITY_EXCEPTION</statusCode></errors><fullName>Account.Score__c</fullName><success>false</success></result></upsertMetadataResponse>",
      ),
    },
  );
  const displayName = "<the-access-token/>";
  const [outcome] = await fields.upsert([busbar({ displayName })], provider.fetch);
  assert.equal(outcome?.error?.code, "FIELD_INTEGRITY_EXCEPTION");
  assert.equal(outcome?.metadata, undefined);
  const [read, upsert] = provider.requests;
  assert.equal(read?.tokenMark, "<the-access-token/>");
  assert.equal(buildBody(upsert).split(displayName).length, 2, "once: in the header");
  assert.match(buildBody(upsert), /<label>&lt;the-access-token\/&gt;<\/label>/);
  assert.match(
    buildBody(upsert),
    /<metadata xsi:type="CustomField"><fullName>Account.Score__c<\/fullName><label>/,
  );
});

test("SOAP faults mean what their codes say, not what their status 500 does", () => {
  const kind = (code: string, message = "x") =>
    classify({
      status: 500,
      headers: {},
      text: envelope(
        `<soapenv:Fault><faultcode>${code}</faultcode><faultstring>${message}</faultstring></soapenv:Fault>`,
      ),
    })?.kind;
  assert.equal(kind("sf:INVALID_SESSION_ID"), "unauthorized");
  assert.equal(kind("sf:REQUEST_LIMIT_EXCEEDED"), "rate_limited");
  assert.equal(kind("sf:INSUFFICIENT_ACCESS"), "forbidden");
  assert.equal(kind("soapenv:Client"), "invalid");
  assert.equal(kind("soapenv:Server"), "unavailable");
  assert.equal(classify({ status: 500, headers: {}, text: "<html>faultcode" })?.kind, "unavailable");
});

test("an upsert gives an outcome per field or throws a ProviderError, whatever is answered", async () => {
  const results = "<upsertMetadataResponse><result><success>true</success></result></upsertMetadataResponse>";
  const bodies: Reply["body"][] = [undefined, "<html>", "{}", "<a/>", envelope(""), envelope(results)];
  for (const status of [200, 302, 400, 401, 403, 404, 429, 500, 503]) {
    for (const body of bodies) {
      const found = replay(
        { status: 200, body: envelope("<readMetadataResponse><result/></readMetadataResponse>") },
        {
          status,
          body,
        },
      );
      for (const provider of [replay({ status, body }), found]) {
        const outcome = await fields.upsert([busbar({})], provider.fetch).catch((error: unknown) => error);
        if (outcome instanceof ProviderError) continue;
        assert.ok(Array.isArray(outcome) && outcome.length === 1, `${status} ${String(body)}`);
        assert.ok(outcome[0].error instanceof ProviderError, `${status} ${String(body)}`);
      }
    }
  }
});

test("the reason of a refused query stands without the part of the query before it", () => {
  // As roblesterjr04/EloquentSalesForce issue 74 cites it.
  const say = (errorCode: string, message: string) =>
    classify({ status: 400, headers: {}, text: JSON.stringify([{ errorCode, message }]) })?.message ?? "";
  const reason = "No such column 'Title' on entity 'Contact'.";
  const said = `\nSystemModstamp,Email,LastName,Title FROM Contact W\n                              ^\nERROR at Row:1:Column:41\n${reason}`;
  assert.match(say("INVALID_FIELD", said), /^No such column 'Title'/);
  assert.match(say("MALFORMED_QUERY", "unexpected token: FROM"), /^unexpected token: FROM$/);
});
