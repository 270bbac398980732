/** Custom fields made in customers' accounts: every kind, told field by field, and nothing of the customer's lost. */
import assert from "node:assert/strict";
import { before, beforeEach, describe, test } from "node:test";
import { shareTestBusbar } from "../harness/busbar.ts";
import { connectCustomer } from "../harness/connect-customer.ts";
import { bearer, registerJwtKey } from "../harness/customer-tokens.ts";
import { assertProblem } from "./assert-problem.ts";
import { listActions, KINDS, listResults, type Result } from "./custom-field-kinds.ts";

const busbar = await shareTestBusbar();

describe("custom fields", () => {
  beforeEach(async () => {
    busbar.sandbox.hubspot.setLimits("off");
    busbar.sandbox.clearRequests();
  });

  describe("at HubSpot", () => {
    before(async () => {
      await connectCustomer(busbar, { provider: "hubspot", objects: ["contacts"] });
    });

    const upsert = (fields: object, headers?: Record<string, string>) =>
      busbar.inProject("PUT", "/providers/hubspot/object-metadata", { groupRef: "acme", fields }, headers);
    const sent = (method: string) =>
      busbar.sandbox
        .requests({ provider: "hubspot", method })
        .filter(({ path }) => path.includes("/properties/"));

    test("each kind is made as the right kind of property, and the second time nothing is left to do", async () => {
      const first = await upsert({ contacts: KINDS });
      assert.equal(first.status, 200, first.text);
      assert.equal(first.body.success, true);
      const made = listResults(first, "contacts");
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

      busbar.sandbox.clearRequests();
      const second = await busbar.inProject("PUT", "/integrations/hubspot/object-metadata", {
        groupRef: "acme",
        fields: { contacts: KINDS },
      });
      assert.equal(second.status, 200, second.text);
      assert.deepEqual(new Set(Object.values(listActions(second, "contacts"))), new Set(["none"]));
      assert.deepEqual([...sent("POST"), ...sent("PATCH")], []);

      const written = await busbar.write("hubspot", "contacts", {
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
      assert.deepEqual(listActions(changed, "companies"), { tier: "update" });
      const options = listResults(changed, "companies")["tier"]?.metadata?.["options"];
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
      const { code, share } = listResults(answer, "deals");
      const reported = (result: Result | undefined) => result?.warnings?.map((text) => text.split(":")[0]);
      assert.deepEqual(reported(code), [
        "required",
        "indexed",
        "stringOptions.length",
        "stringOptions.pattern",
        "defaultValue",
      ]);
      assert.deepEqual(reported(share), [
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
      assert.deepEqual(listActions(answer, "tickets"), { other: "none", hs_ticket_priority: "none" });
      assert.deepEqual([...sent("POST"), ...sent("PATCH")], []);
    });

    test("a batch of which HubSpot refuses a part is reported exactly, and repeating it mends the rest", async () => {
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
      busbar.sandbox.addFault({ provider: "hubspot", path: "/batch/create", ...refusal });
      busbar.sandbox.addFault({
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
      assert.deepEqual(listActions(answer, "companies"), {
        half_one: "create",
        half_two: "none",
        half_three: "create",
      });
      assert.match(listResults(answer, "companies")["half_two"]?.error?.message ?? "", /too many properties/);

      const again = await upsert(fields);
      assert.equal(again.status, 200, again.text);
      assert.deepEqual(listActions(again, "companies"), {
        half_one: "none",
        half_two: "create",
        half_three: "none",
      });
    });

    test("an outage in the middle leaves told what was done and what was not", async () => {
      const field = (fieldName: string) => [{ fieldName, displayName: fieldName, valueType: "string" }];
      busbar.sandbox.addFault({ provider: "hubspot", path: "/properties/deals/batch/create", status: 503 });
      const answer = await upsert({ contacts: field("before_outage"), deals: field("in_outage") });
      const problem = assertProblem(answer, 502, "provider-unreachable");
      assert.equal(problem.retryable, true);
      assert.deepEqual(listActions(answer, "contacts"), { before_outage: "create" });
      assert.deepEqual(listActions(answer, "deals"), { in_outage: "none" });
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
      const answer = await busbar.inProject("PUT", "/providers/hubspot/object-metadata", {
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
      assert.deepEqual(busbar.sandbox.requests({ provider: "hubspot" }), []);
      const unknown = { contacts: [{ fieldName: "x", displayName: "X", valueType: "text" }] };
      const second = await busbar.inProject("PUT", "/providers/hubspot/object-metadata", {
        groupRef: "acme",
        fields: unknown,
      });
      assert.match(assertProblem(second, 400).detail, /must be one of string, boolean/);
    });

    test("the five refusals are Problems", async () => {
      const body = { groupRef: "acme", fields: { contacts: [] } };
      const put = (path: string, more: object = {}, headers?: Record<string, string>) =>
        busbar.inProject("PUT", path, { ...body, ...more }, headers);
      assertProblem(await put("/providers/asana/object-metadata"), 404, "not-found");
      assertProblem(await put("/providers/nope/object-metadata"), 404, "not-found");
      assertProblem(
        await put("/providers/hubspot/object-metadata", { groupRef: "nobody" }),
        404,
        "not-found",
      );
      assertProblem(await put("/integrations/nope/object-metadata"), 404, "not-found");
      assertProblem(
        await put("/integrations/hubspot/object-metadata", { groupRef: "nobody" }),
        404,
        "not-found",
      );
      assertProblem(await put("/providers/hubspot/object-metadata", {}, { "x-api-key": "wrong" }), 401);
      const signer = await registerJwtKey(busbar);
      const other = bearer(await signer.sign({ groupRef: "other" }));
      assertProblem(await put("/providers/hubspot/object-metadata", {}, other), 403, "forbidden");
      const own = bearer(await signer.sign());
      assert.equal((await put("/providers/hubspot/object-metadata", {}, own)).status, 200);

      busbar.sandbox.addFault({
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
