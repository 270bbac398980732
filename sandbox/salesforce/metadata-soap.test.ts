// The Metadata API: rules of custom fields, their visibility, faults.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { getAt, openCaller, openSandbox, readText, type Call, type Response } from "../test-client.ts";

const sandbox = await openSandbox();
let token: string;
let call: Call;
beforeEach(() => {
  token = sandbox.salesforce.mintToken().accessToken;
  call = openCaller(sandbox.salesforce.url, token);
});

const DATA = "/services/data/v60.0";

function soap(body: string, allOrNone = true, session = token): Promise<Response> {
  const envelope = `<?xml version="1.0"?><soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<soapenv:Header xmlns="http://soap.sforce.com/2006/04/metadata"><AllOrNoneHeader><allOrNone>${String(allOrNone)}</allOrNone></AllOrNoneHeader>
<SessionHeader><sessionId>${session}</sessionId></SessionHeader></soapenv:Header>
<soapenv:Body xmlns="http://soap.sforce.com/2006/04/metadata">${body}</soapenv:Body></soapenv:Envelope>`;
  return openCaller(sandbox.salesforce.url)("POST", "/services/Soap/m/60.0", envelope, {
    "content-type": "text/xml",
    soapaction: '""',
  });
}

function field(name: string, inner: string): string {
  return `<metadata xsi:type="CustomField"><fullName>Account.${name}</fullName><label>${name}</label>${inner}</metadata>`;
}

function upsert(...metadata: string[]): string {
  return `<upsertMetadata>${metadata.join("")}</upsertMetadata>`;
}

const SCORE = field("Score__c", "<type>Number</type><precision>18</precision><scale>0</scale>");

function grant(...fields: string[]): string {
  const permissions = fields.map(
    (name) =>
      `<fieldPermissions><field>Account.${name}</field><readable>true</readable><editable>true</editable></fieldPermissions>`,
  );
  return upsert(
    `<metadata xsi:type="PermissionSet"><fullName>Visible</fullName><label>Visible &amp; more</label>${permissions.join("")}</metadata>`,
  );
}

async function assign(): Promise<Response> {
  const found = await call(
    "GET",
    `${DATA}/query?q=${encodeURIComponent("SELECT Id FROM PermissionSet WHERE Name = 'Visible'")}`,
  );
  const user = await call("GET", "/services/oauth2/userinfo");
  const body = {
    AssigneeId: readText(user.json, "user_id"),
    PermissionSetId: readText(found.json, "records.0.Id"),
  };
  return call("POST", `${DATA}/sobjects/PermissionSetAssignment`, body);
}

test("a new field exists for nobody until an assigned permission set grants it", async () => {
  const created = await soap(upsert(SCORE));
  assert.equal(created.status, 200);
  assert.match(
    created.text,
    /<created>true<\/created><fullName>Account.Score__c<\/fullName><success>true<\/success>/,
  );
  const write = (): Promise<Response> => call("POST", `${DATA}/sobjects/Account`, { Name: "x", Score__c: 5 });
  const hidden = await write();
  assert.equal(getAt(hidden.json, "0.message"), "No such column 'Score__c' on sobject of type Account");
  assert.doesNotMatch((await call("GET", `${DATA}/sobjects/Account/describe`)).text, /Score__c/);
  assert.match((await soap(grant("Score__c"))).text, /<success>true/);
  assert.equal((await write()).status, 400);
  assert.equal((await assign()).status, 201);
  assert.equal((await write()).status, 201);
  assert.match((await call("GET", `${DATA}/sobjects/Account/describe`)).text, /Score__c/);
  const again = await assign();
  assert.equal(again.status, 400);
  assert.equal(getAt(again.json, "0.errorCode"), "DUPLICATE_VALUE");
});

test("a permission set is replaced, not merged", async () => {
  await soap(upsert(SCORE, field("Note__c", "<type>Text</type><length>20</length>")));
  await soap(grant("Score__c", "Note__c"));
  await assign();
  await soap(grant("Note__c"));
  const { text } = await call("GET", `${DATA}/sobjects/Account/describe`);
  assert.doesNotMatch(text, /Score__c/);
  assert.match(text, /Note__c/);
});

test("a required field is visible at once and cannot be granted", async () => {
  await soap(upsert(field("Must__c", "<type>Text</type><length>20</length><required>true</required>")));
  const refused = await call("POST", `${DATA}/sobjects/Account`, { Name: "x" });
  assert.equal(getAt(refused.json, "0.message"), "Required fields are missing: [Must__c]");
  assert.match((await soap(grant("Must__c"))).text, /You cannot deploy to a required field: Account.Must__c/);
});

test("an upsert of a known field says so and replaces its definition", async () => {
  await soap(upsert(field("Note__c", "<type>Text</type><length>20</length><unique>true</unique>")));
  const second = await soap(upsert(field("Note__c", "<type>Text</type><length>30</length>")));
  assert.match(second.text, /<created>false<\/created>.*<success>true/);
  const read = await soap(
    "<readMetadata><type>CustomField</type><fullNames>Account.Note__c</fullNames><fullNames>Account.No__c</fullNames></readMetadata>",
  );
  assert.match(read.text, /<length>30<\/length>/);
  assert.doesNotMatch(read.text, /<unique>/);
  assert.match(read.text, /<records xsi:nil="true"\/>/);
  const changed = await soap(upsert(field("Note__c", "<type>Date</type>")));
  assert.match(changed.text, /Cannot change field type/);
});

test("a definition that breaks a rule fails, and under all-or-none so do its neighbours", async () => {
  const bad: [string, RegExp][] = [
    [field("A__c", "<type>Text</type>"), /Must specify 'length' for a CustomField of type Text/],
    [field("A__c", "<type>LongTextArea</type><length>30</length>"), /Invalid length, minimum is: 256/],
    [field("A__c", "<type>Checkbox</type>"), /Must specify 'defaultValue'/],
    [
      field("A__c", "<type>Checkbox</type><defaultValue>false</defaultValue><required>true</required>"),
      /Can not specify 'required'/,
    ],
    [field("A__c", "<type>Picklist</type>"), /Must specify 'valueSet'/],
    [field("A__c", "<type>Lookup</type><referenceTo>Nope</referenceTo>"), /does not resolve/],
    [field("A", "<type>Date</type>"), /INVALID_FULL_NAME/],
  ];
  for (const [metadata, expected] of bad) {
    const answer = await soap(upsert(metadata, SCORE));
    assert.equal(answer.status, 200);
    assert.match(answer.text, expected);
    assert.match(answer.text, /ALL_OR_NONE_OPERATION_ROLLED_BACK/);
  }
  const partial = await soap(upsert(field("A__c", "<type>Text</type>"), SCORE), false);
  assert.match(partial.text, /<created>true<\/created><fullName>Account.Score__c/);
});

test("a field can be deleted once", async () => {
  await soap(upsert(SCORE));
  const remove =
    "<deleteMetadata><type>CustomField</type><fullNames>Account.Score__c</fullNames></deleteMetadata>";
  assert.match((await soap(remove)).text, /<success>true/);
  assert.match((await soap(remove)).text, /INVALID_CROSS_REFERENCE_KEY/);
});

test("faults come with status 500", async () => {
  const session = await soap(upsert(SCORE), true, "nope");
  assert.equal(session.status, 500);
  assert.match(session.text, /<faultcode>sf:INVALID_SESSION_ID<\/faultcode>/);
  assert.match((await soap("<upsertMetadata><open></upsertMetadata>")).text, /soapenv:Client/);
  const many = Array.from({ length: 11 }, (_, i) => field(`F${i}__c`, "<type>Date</type>"));
  const tooMany = await soap(upsert(...many));
  assert.equal(tooMany.status, 500);
  assert.match(tooMany.text, /cannot submit more than 10 records/);
  const noAction = await call("POST", "/services/Soap/m/60.0", "<x/>", { "content-type": "text/xml" });
  assert.match(noAction.text, /SOAPAction HTTP header missing/);
});
