/** Custom fields made in a Salesforce organisation: merged with what is there, and visible to the connected user. */
import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { shareTestBusbar } from "../harness/busbar.ts";
import { connectCustomer } from "../harness/connect-customer.ts";
import { assertProblem } from "./assert-problem.ts";
import { listActions, KINDS, listResults } from "./custom-field-kinds.ts";

const busbar = await shareTestBusbar();

const app = { provider: "salesforce", clientId: "c", clientSecret: "s" };
assert.equal((await busbar.inProject("POST", "/provider-apps", app)).status, 200);
await connectCustomer(busbar, { provider: "salesforce", objects: ["Account", "Lead"] });

describe("custom fields at Salesforce", () => {
  beforeEach(() => busbar.sandbox.clearRequests());

  const upsert = (fields: object) =>
    busbar.inProject("PUT", "/providers/salesforce/object-metadata", { groupRef: "acme", fields });
  const soapCalls = (operation: string) =>
    busbar.sandbox
      .requests({ provider: "salesforce", path: "/services/Soap" })
      .filter(({ body }) => body?.includes(`<${operation}>`));
  const allKinds = [
    ...KINDS,
    {
      fieldName: "Parent_Machine__c",
      displayName: "Machine",
      valueType: "reference",
      association: { associationType: "lookup", targetObject: "Contact", onDelete: "setNull" },
    },
  ];

  test("each of the nine kinds is made, can be written at once, and the second time nothing is left to do", async () => {
    const first = await upsert({ Account: allKinds });
    assert.equal(first.status, 200, first.text);
    const made = listResults(first, "Account");
    assert.deepEqual(
      Object.fromEntries(
        Object.values(made).map(({ fieldName, action, metadata }) => [
          fieldName,
          `${action} ${String(metadata?.["type"])}`,
        ]),
      ),
      {
        Motto__c: "create Text",
        Vip__c: "create Checkbox",
        Since__c: "create Date",
        Seen_At__c: "create DateTime",
        Size__c: "create Picklist",
        Likes__c: "create MultiselectPicklist",
        Age__c: "create Number",
        Score__c: "create Number",
        Parent_Machine__c: "create Lookup",
      },
    );
    assert.match(made["Motto"]?.warnings?.join() ?? "", /it is Motto__c there/);
    assert.equal(made["Parent_Machine__c"]?.warnings, undefined);
    assert.equal(made["Motto"]?.metadata?.["length"], "255");
    assert.equal(made["Age"]?.metadata?.["scale"], "0");

    const record = {
      Name: "Visible",
      Motto__c: "go",
      Vip__c: true,
      Since__c: "2026-01-31",
      Seen_At__c: "2026-01-31T09:00:00Z",
      Size__c: "Large",
      Likes__c: "art;travel",
      Age__c: 7,
      Score__c: 1.5,
      Parent_Machine__c: "003Sb0000000001IAA",
    };
    const written = await busbar.write("salesforce", "Account", { groupRef: "acme", type: "create", record });
    assert.equal(written.status, 200, written.text);
    assert.equal(written.body.result.data.Motto__c, "go");

    busbar.sandbox.clearRequests();
    const second = await busbar.inProject("PUT", "/integrations/salesforce/object-metadata", {
      groupRef: "acme",
      fields: { Account: allKinds },
    });
    assert.equal(second.status, 200, second.text);
    assert.deepEqual(new Set(Object.values(listActions(second, "Account"))), new Set(["none"]));
    assert.equal(soapCalls("upsertMetadata").length, 0);
    assert.doesNotMatch(first.text + second.text, /sessionId/);
  });

  test("what a definition does not say stays as the customer has it", async () => {
    const level = (more: object) => ({
      Contact: [{ fieldName: "Level", displayName: "Level", valueType: "singleSelect", ...more }],
    });
    const values = (...list: string[]) => ({ stringOptions: { values: list } });
    const first = await upsert(
      level({ description: "How high", required: true, ...values("Junior", "Senior") }),
    );
    assert.equal(first.status, 200, first.text);
    const changed = await upsert(level(values("Senior", "Executive & above")));
    assert.deepEqual(listActions(changed, "Contact"), { Level: "update" });
    const { metadata } = listResults(changed, "Contact")["Level"] ?? {};
    assert.equal(metadata?.["description"], "How high");
    assert.equal(metadata?.["required"], "true");
    assert.deepEqual(
      JSON.stringify(metadata).match(/"fullName":"[^"]*"/g),
      ["Contact.Level__c", "Junior", "Senior", "Executive & above"].map((name) => `"fullName":"${name}"`),
    );
  });

  test("more fields than one call takes go in several, and all are visible", async () => {
    const fields = Array.from({ length: 23 }, (_, index) => ({
      fieldName: `Many_${index}__c`,
      displayName: `Many "${index}" <&>`,
      valueType: "string",
      stringOptions: { length: index === 0 ? 1000 : 40 },
    }));
    const answer = await upsert({ Lead: fields });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(soapCalls("upsertMetadata").filter(({ body }) => body?.includes('"CustomField"')).length, 3);
    assert.equal(listResults(answer, "Lead")["Many_0__c"]?.metadata?.["type"], "LongTextArea");
    const shown = await busbar.inProject("GET", "/providers/salesforce/objects/Lead/metadata?groupRef=acme");
    assert.equal(shown.status, 200, shown.text);
    assert.equal(shown.body.fields.Many_22__c.displayName, 'Many "22" <&>');
    const record = { LastName: "Many", Company: "X", Many_22__c: "here" };
    const written = await busbar.write("salesforce", "Lead", { groupRef: "acme", type: "create", record });
    assert.equal(written.status, 200, written.text);
  });

  test("a field that exists with another type is refused with the remedy, and nothing else is written", async () => {
    const answer = await upsert({
      Account: [
        { fieldName: "Fresh", displayName: "Fresh", valueType: "string" },
        { fieldName: "External_Id", displayName: "External id", valueType: "date" },
      ],
    });
    const problem = assertProblem(answer, 400, "invalid-request");
    assert.match(
      problem.detail,
      /^Nothing was changed.*is already there as a Text, not as a date.*define it as string/,
    );
    assert.equal(soapCalls("upsertMetadata").length, 0);
    assert.deepEqual(listActions(answer, "Account"), { Fresh: "none", External_Id: "none" });
  });

  test("a batch of which Salesforce refuses a part is reported exactly", async () => {
    const answer = await upsert({
      Opportunity: [
        { fieldName: "Good", displayName: "Good", valueType: "float" },
        {
          fieldName: "Bad",
          displayName: "Bad",
          valueType: "reference",
          association: { associationType: "lookup", targetObject: "Nowhere" },
        },
      ],
      Nothing__c: [{ fieldName: "Lost", displayName: "Lost", valueType: "int" }],
    });
    const problem = assertProblem(answer, 422, "provider-refused");
    assert.match(
      problem.detail,
      /^1 of 3 fields were created or changed, 2 failed: fields\.Opportunity\[1\]/,
    );
    assert.deepEqual(listActions(answer, "Opportunity"), { Good: "create", Bad: "none" });
    assert.match(listResults(answer, "Opportunity")["Bad"]?.error?.message ?? "", /does not resolve/);
    assert.match(listResults(answer, "Nothing__c")["Lost"]?.error?.message ?? "", /cannot be found/);
    const shown = await busbar.inProject(
      "GET",
      "/providers/salesforce/objects/Opportunity/metadata?groupRef=acme",
    );
    assert.equal(shown.body.fields.Good__c.valueType, "float");
  });

  test("a field that was made but could not be made visible is reported, and repeating mends it", async () => {
    const fields = { Case: [{ fieldName: "Shy", displayName: "Shy", valueType: "string" }] };
    busbar.sandbox.addFault({
      preset: "salesforce.unavailable",
      provider: "salesforce",
      path: "PermissionSetAssignment",
    });
    busbar.sandbox.addFault({ provider: "salesforce", path: "/userinfo", status: 503 });
    const answer = await upsert(fields);
    const problem = assertProblem(answer, 502, "provider-unreachable");
    assert.equal(problem.retryable, true);
    assert.deepEqual(listActions(answer, "Case"), { Shy: "create" });
    assert.match(listResults(answer, "Case")["Shy"]?.error?.message ?? "", /may not see it yet/);
    const again = await upsert(fields);
    const repeated = again.status === 200 ? again : await upsert(fields);
    assert.deepEqual(listActions(repeated, "Case"), { Shy: "none" });
  });

  test("an expired session is refreshed in the middle of SOAP too", async () => {
    busbar.sandbox.salesforce.expireTokens();
    const answer = await upsert({ Case: [{ fieldName: "Late", displayName: "Late", valueType: "int" }] });
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(listActions(answer, "Case"), { Late: "create" });
  });
});
