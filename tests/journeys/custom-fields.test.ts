/** Custom fields made in customers' accounts: every kind, told field by field, and nothing of the customer's lost. */
import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { connectCustomer, openTestBusbar, type Answer, type TestBusbar } from "../harness/busbar.ts";
import { bearer, registerJwtKey } from "../harness/customer-tokens.ts";
import { assertProblem } from "./assert-problem.ts";

const MANIFEST = `
specVersion: 1.0.0
integrations:
  - name: hub
    provider: hubspot
    write:
      objects:
        - objectName: contacts
  - name: force
    provider: salesforce
    write:
      objects:
        - objectName: Account
`;

/** One of every kind that both providers have. */
const KINDS = [
  { fieldName: "Motto", displayName: "Motto", description: "Words", valueType: "string" },
  { fieldName: "Vip", displayName: "VIP", valueType: "boolean" },
  { fieldName: "Since", displayName: "Since", valueType: "date" },
  { fieldName: "Seen_At", displayName: "Seen at", valueType: "datetime" },
  {
    fieldName: "Size",
    displayName: "Size",
    valueType: "singleSelect",
    stringOptions: { values: ["Small", "Large"], valuesRestricted: true },
  },
  {
    fieldName: "Likes",
    displayName: "Likes",
    valueType: "multiSelect",
    stringOptions: { values: ["art", "travel"], valuesRestricted: true },
  },
  { fieldName: "Age", displayName: "Age", valueType: "int" },
  { fieldName: "Score", displayName: "Score", valueType: "float" },
];

interface Result {
  fieldName: string;
  action: string;
  metadata?: Record<string, unknown>;
  warnings?: string[];
  error?: { message: string };
}

const resultsOf = (answer: Answer, objectName: string): Record<string, Result> => {
  const fields: Record<string, Record<string, Result>> = answer.body.fields;
  return fields[objectName] ?? {};
};
const actions = (answer: Answer, objectName: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(resultsOf(answer, objectName)).map(([name, { action }]) => [name, action]),
  );

describe("custom fields", () => {
  let on: TestBusbar;
  after(() => on.stop());
  before(async () => {
    on = await openTestBusbar();
  });
  beforeEach(async () => {
    on.sandbox.hubspot.setLimits("off");
    on.sandbox.clearRequests();
  });

  describe("at HubSpot", () => {
    before(async () => {
      const customer = { provider: "hubspot", manifest: MANIFEST, integration: "hub" } as const;
      await connectCustomer(on, { ...customer, groupRef: "acme" });
    });

    const upsert = (fields: object, headers?: Record<string, string>) =>
      on.inProject("PUT", "/providers/hubspot/object-metadata", { groupRef: "acme", fields }, headers);
    const sent = (method: string) =>
      on.sandbox
        .requests({ provider: "hubspot", method })
        .filter(({ path }) => path.includes("/properties/"));

    test("each kind is made as the right kind of property, and the second time nothing is left to do", async () => {
      const first = await upsert({ contacts: KINDS });
      assert.equal(first.status, 200, first.text);
      assert.equal(first.body.success, true);
      const made = resultsOf(first, "contacts");
      assert.deepEqual(
        Object.fromEntries(
          Object.entries(made).map(([name, { action, metadata }]) => [
            name,
            `${action} ${String(metadata?.["type"])}/${String(metadata?.["fieldType"])}`,
          ]),
        ),
        {
          Motto: "create string/text",
          Vip: "create bool/booleancheckbox",
          Since: "create date/date",
          Seen_At: "create datetime/date",
          Size: "create enumeration/select",
          Likes: "create enumeration/checkbox",
          Age: "create number/number",
          Score: "create number/number",
        },
      );
      assert.equal(made["Seen_At"]?.fieldName, "seen_at");
      assert.match(made["Motto"]?.warnings?.join() ?? "", /lower case/);
      assert.equal(made["Motto"]?.metadata?.["groupName"], "integrationcreatedproperties");

      on.sandbox.clearRequests();
      const second = await on.inProject("PUT", "/integrations/hub/object-metadata", {
        groupRef: "acme",
        fields: { contacts: KINDS },
      });
      assert.equal(second.status, 200, second.text);
      assert.deepEqual(new Set(Object.values(actions(second, "contacts"))), new Set(["none"]));
      assert.deepEqual([...sent("POST"), ...sent("PATCH")], []);

      const written = await on.write("hub", "contacts", {
        groupRef: "acme",
        type: "create",
        record: {
          email: "kinds@example.com",
          motto: "go",
          size: "Large",
          likes: "art;travel",
          age: 7,
          vip: true,
        },
      });
      assert.equal(written.status, 200, written.text);
    });

    test("options of the customer's own stay, and new ones come behind them", async () => {
      const tier = (values: string[]) => ({
        companies: [
          { fieldName: "tier", displayName: "Tier", valueType: "singleSelect", stringOptions: { values } },
        ],
      });
      assert.equal((await upsert(tier(["gold", "silver"]))).status, 200);
      const changed = await upsert(tier(["silver", "bronze"]));
      assert.deepEqual(actions(changed, "companies"), { tier: "update" });
      const options = resultsOf(changed, "companies")["tier"]?.metadata?.["options"];
      assert.ok(Array.isArray(options));
      assert.deepEqual(
        options.map(({ value }) => value),
        ["gold", "silver", "bronze"],
      );
      const [patch] = sent("PATCH");
      assert.deepEqual(Object.keys(JSON.parse(patch?.body ?? "{}")), ["options"]);
    });

    test("everything that HubSpot cannot hold is named", async () => {
      const answer = await upsert({
        deals: [
          {
            fieldName: "code",
            displayName: "Code",
            valueType: "string",
            required: true,
            indexed: true,
            stringOptions: { length: 20, pattern: "^x", defaultValue: "x1" },
          },
          {
            fieldName: "share",
            displayName: "Share",
            valueType: "float",
            numericOptions: { precision: 5, scale: 2, min: 0, max: 100, defaultValue: 50 },
          },
        ],
      });
      assert.equal(answer.status, 200, answer.text);
      const { code, share } = resultsOf(answer, "deals");
      const told = (result: Result | undefined) => result?.warnings?.map((text) => text.split(":")[0]);
      assert.deepEqual(told(code), [
        "required",
        "indexed",
        "stringOptions.length",
        "stringOptions.pattern",
        "defaultValue",
      ]);
      assert.deepEqual(told(share), [
        "defaultValue",
        "numericOptions.precision",
        "numericOptions.scale",
        "numericOptions.min",
        "numericOptions.max",
      ]);
    });

    test("a field that exists with another type is refused with the remedy, and nothing else is written", async () => {
      const answer = await upsert({
        tickets: [
          { fieldName: "other", displayName: "Other", valueType: "string" },
          { fieldName: "hs_ticket_priority", displayName: "Priority", valueType: "date" },
        ],
      });
      const problem = assertProblem(answer, 400, "invalid-request");
      assert.equal(problem.success, false);
      assert.match(problem.detail, /already there as a singleSelect.*choose another fieldName/);
      assert.match(JSON.stringify(problem.issues), /fields\.tickets\[1\]/);
      assert.deepEqual(actions(answer, "tickets"), { other: "none", hs_ticket_priority: "none" });
      assert.deepEqual([...sent("POST"), ...sent("PATCH")], []);
    });

    test("a batch of which HubSpot refuses a part is told exactly, and repeating it mends the rest", async () => {
      const fields = {
        companies: [
          { fieldName: "half_one", displayName: "One", valueType: "string" },
          { fieldName: "half_two", displayName: "Two", valueType: "string" },
          { fieldName: "half_three", displayName: "Three", valueType: "string" },
        ],
      };
      const refusal = {
        status: 400,
        body: { status: "error", category: "VALIDATION_ERROR", message: "There are too many properties." },
      };
      on.sandbox.addFault({ provider: "hubspot", path: "/batch/create", ...refusal });
      on.sandbox.addFault({
        provider: "hubspot",
        method: "POST",
        bodyContains: "half_two",
        ...refusal,
      });
      const answer = await upsert(fields);
      const problem = assertProblem(answer, 422, "provider-refused");
      assert.equal(problem.success, false);
      assert.match(
        problem.detail,
        /^2 of 3 fields were created or changed, 1 failed: fields\.companies\[1\]/,
      );
      assert.deepEqual(actions(answer, "companies"), {
        half_one: "create",
        half_two: "none",
        half_three: "create",
      });
      assert.match(resultsOf(answer, "companies")["half_two"]?.error?.message ?? "", /too many properties/);

      const again = await upsert(fields);
      assert.equal(again.status, 200, again.text);
      assert.deepEqual(actions(again, "companies"), {
        half_one: "none",
        half_two: "create",
        half_three: "none",
      });
    });

    test("an outage in the middle leaves told what was done and what was not", async () => {
      const field = (fieldName: string) => [{ fieldName, displayName: fieldName, valueType: "string" }];
      on.sandbox.addFault({ provider: "hubspot", path: "/properties/deals/batch/create", status: 503 });
      const answer = await upsert({ contacts: field("before_outage"), deals: field("in_outage") });
      const problem = assertProblem(answer, 502, "provider-unreachable");
      assert.equal(problem.retryable, true);
      assert.deepEqual(actions(answer, "contacts"), { before_outage: "create" });
      assert.deepEqual(actions(answer, "deals"), { in_outage: "none" });
    });
  });

  describe("at Salesforce", () => {
    before(async () => {
      const customer = { provider: "salesforce", manifest: MANIFEST, integration: "force" } as const;
      await connectCustomer(on, { ...customer, groupRef: "acme" });
    });

    const upsert = (fields: object) =>
      on.inProject("PUT", "/providers/salesforce/object-metadata", { groupRef: "acme", fields });
    const soapCalls = (operation: string) =>
      on.sandbox
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
      const made = resultsOf(first, "Account");
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
      const written = await on.write("force", "Account", { groupRef: "acme", type: "create", record });
      assert.equal(written.status, 200, written.text);
      assert.equal(written.body.result.data.Motto__c, "go");

      on.sandbox.clearRequests();
      const second = await on.inProject("PUT", "/integrations/force/object-metadata", {
        groupRef: "acme",
        fields: { Account: allKinds },
      });
      assert.equal(second.status, 200, second.text);
      assert.deepEqual(new Set(Object.values(actions(second, "Account"))), new Set(["none"]));
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
      assert.deepEqual(actions(changed, "Contact"), { Level: "update" });
      const { metadata } = resultsOf(changed, "Contact")["Level"] ?? {};
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
      assert.equal(soapCalls("upsertMetadata").filter(({ body }) => body?.includes("CustomField")).length, 3);
      assert.equal(resultsOf(answer, "Lead")["Many_0__c"]?.metadata?.["type"], "LongTextArea");
      const shown = await on.inProject("GET", "/providers/salesforce/objects/Lead/metadata?groupRef=acme");
      assert.equal(shown.status, 200, shown.text);
      assert.equal(shown.body.fields.Many_22__c.displayName, 'Many "22" <&>');
      const record = { LastName: "Many", Company: "X", Many_22__c: "here" };
      const written = await on.write("force", "Account", { groupRef: "acme", type: "create", record });
      assert.equal(written.status, 422);
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
      assert.deepEqual(actions(answer, "Account"), { Fresh: "none", External_Id: "none" });
    });

    test("a batch of which Salesforce refuses a part is told exactly", async () => {
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
      assert.deepEqual(actions(answer, "Opportunity"), { Good: "create", Bad: "none" });
      assert.match(resultsOf(answer, "Opportunity")["Bad"]?.error?.message ?? "", /does not resolve/);
      assert.match(resultsOf(answer, "Nothing__c")["Lost"]?.error?.message ?? "", /cannot be found/);
      const shown = await on.inProject(
        "GET",
        "/providers/salesforce/objects/Opportunity/metadata?groupRef=acme",
      );
      assert.equal(shown.body.fields.Good__c.valueType, "float");
    });

    test("a field that was made but could not be made visible is told, and repeating mends it", async () => {
      const fields = { Case: [{ fieldName: "Shy", displayName: "Shy", valueType: "string" }] };
      on.sandbox.addFault({
        preset: "salesforce.unavailable",
        provider: "salesforce",
        path: "PermissionSetAssignment",
      });
      on.sandbox.addFault({ provider: "salesforce", path: "/userinfo", status: 503 });
      const answer = await upsert(fields);
      const problem = assertProblem(answer, 502, "provider-unreachable");
      assert.equal(problem.retryable, true);
      assert.deepEqual(actions(answer, "Case"), { Shy: "create" });
      assert.match(resultsOf(answer, "Case")["Shy"]?.error?.message ?? "", /may not see it yet/);
      on.sandbox.reset;
      const again = await upsert(fields);
      const repeated = again.status === 200 ? again : await upsert(fields);
      assert.deepEqual(actions(repeated, "Case"), { Shy: "none" });
    });

    test("an expired session is renewed in the middle of SOAP too", async () => {
      on.sandbox.salesforce.expireTokens();
      const answer = await upsert({ Case: [{ fieldName: "Late", displayName: "Late", valueType: "int" }] });
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual(actions(answer, "Case"), { Late: "create" });
    });
  });

  describe("whatever the provider", () => {
    test("mistakes are named with their places before anything is sent", async () => {
      const fields = {
        contacts: [
          { fieldName: "9lives", displayName: "Lives", valueType: "int" },
          { fieldName: "pick", displayName: "Pick", valueType: "singleSelect" },
          { fieldName: "owner", displayName: "Owner", valueType: "reference" },
          { fieldName: "PICK", displayName: "Pick", valueType: "string" },
        ],
      };
      const answer = await on.inProject("PUT", "/providers/hubspot/object-metadata", {
        groupRef: "acme",
        fields,
      });
      const problem = assertProblem(answer, 400, "invalid-request");
      assert.deepEqual(
        problem.issues.map(({ name }: { name: string }) => name),
        [
          "fields.contacts[0].fieldName",
          "fields.contacts[1].stringOptions.values",
          "fields.contacts[2].association",
          "fields.contacts[2].valueType",
          "fields.contacts[3].fieldName",
        ],
      );
      assert.deepEqual(on.sandbox.requests({ provider: "hubspot" }), []);
      const unknown = { contacts: [{ fieldName: "x", displayName: "X", valueType: "text" }] };
      const second = await on.inProject("PUT", "/providers/hubspot/object-metadata", {
        groupRef: "acme",
        fields: unknown,
      });
      assert.match(assertProblem(second, 400).detail, /must be one of string, boolean/);
    });

    test("the five refusals are Problems", async () => {
      const body = { groupRef: "acme", fields: { contacts: [] } };
      const put = (path: string, more: object = {}, headers?: Record<string, string>) =>
        on.inProject("PUT", path, { ...body, ...more }, headers);
      assertProblem(await put("/providers/asana/object-metadata"), 404, "not-found");
      assertProblem(await put("/providers/nope/object-metadata"), 404, "not-found");
      assertProblem(
        await put("/providers/hubspot/object-metadata", { groupRef: "nobody" }),
        404,
        "not-found",
      );
      assertProblem(await put("/integrations/nope/object-metadata"), 404, "not-found");
      assertProblem(await put("/integrations/hub/object-metadata", { groupRef: "nobody" }), 404, "not-found");
      assertProblem(await put("/providers/hubspot/object-metadata", {}, { "x-api-key": "wrong" }), 401);
      const signer = await registerJwtKey(on);
      const other = bearer(await signer.sign({ groupRef: "other" }));
      assertProblem(await put("/providers/hubspot/object-metadata", {}, other), 403, "forbidden");
      const own = bearer(await signer.sign());
      assert.equal((await put("/providers/hubspot/object-metadata", {}, own)).status, 200);

      on.sandbox.addFault({
        preset: "hubspot.missing_scopes",
        provider: "hubspot",
        path: "/properties/contacts",
      });
      const fields = { contacts: [{ fieldName: "scoped", displayName: "Scoped", valueType: "string" }] };
      assertProblem(await put("/providers/hubspot/object-metadata", { fields }), 403, "forbidden");
      const unknown = { butterflies: fields.contacts };
      assertProblem(await put("/providers/hubspot/object-metadata", { fields: unknown }), 404, "not-found");
    });
  });
});
