/** What agents read of a customer's accounts: by which names, within which limits, and what stays hidden. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openAgent } from "../../tests/harness/agent-client.ts";
import { shareTestBusbar, type Answer } from "../../tests/harness/busbar.ts";
import { connectCustomer } from "../../tests/harness/connect-customer.ts";
import { registerJwtKey } from "../../tests/harness/customer-tokens.ts";

const buildManifest = (provider: string, contact: string, company: string) => `
specVersion: 1.0.0
integrations:
  - name: ${provider}
    provider: ${provider}
    read:
      objects:
        - objectName: ${contact}
          mapToName: ${provider === "hubspot" ? "person" : "human"}
          destination: hook
          requiredFields:
            - fieldName: email
            - fieldName: lastname
              mapToName: familyName
          optionalFields: [{ fieldName: firstname }]
        - objectName: ${company}
          destination: hook
          mapToName: firm
          requiredFields: [{ fieldName: name }]
    write:
      objects: [{ objectName: ${contact}, inheritMapping: true }]
`;
const readContent = (contact: string) => ({
  read: { objects: { [contact]: { objectName: contact, selectedFields: { firstname: true } } } },
});

const busbar = await shareTestBusbar();

busbar.sandbox.hubspot.setLimits("off");
for (const [provider, contact, company] of [
  ["hubspot", "contacts", "companies"],
  ["salesforce", "contact", "account"],
] as const) {
  const manifest = buildManifest(provider, contact, company);
  await connectCustomer(busbar, {
    provider,
    manifest,
    integration: provider,
    content: readContent(contact),
  });
}
const agent = await openAgent(busbar);

describe("what agents read", () => {
  const setPolicy = async (policy: object): Promise<void> => {
    const answer = await busbar.inProject("PUT", "/agent-policy", policy);
    assert.equal(answer.status, 200, answer.text);
  };
  const succeed = async (tool: string, args: Record<string, unknown> = {}) => {
    const { isError, content } = await agent.call(tool, args);
    assert.equal(isError, false, JSON.stringify(content));
    return content;
  };
  const refused = async (tool: string, args: Record<string, unknown> = {}) => {
    const { isError, content } = await agent.call(tool, args);
    assert.equal(isError, true, JSON.stringify(content));
    return content.problem;
  };
  const where = (field: string, value: unknown, operator = "eq") => ({
    filters: [{ field, operator, value }],
  });

  for (const [integration, object] of [
    ["hubspot", "person"],
    ["salesforce", "human"],
  ] as const) {
    test(`a record of ${integration} is found and got by the builder's names`, async () => {
      const { objects } = await succeed("find_objects", { integration, query: object });
      assert.deepEqual(objects, [
        { integration, object, actions: ["search", "get", "create", "update", "upsert"] },
      ]);
      const { fields } = await succeed("describe_object", { object });
      const named = new Map<string, Answer["body"]>(
        fields.map((field: { name: string }) => [field.name.toLowerCase(), field]),
      );
      assert.deepEqual([named.get("familyname")?.readable, named.get("familyname")?.writable], [true, true]);
      assert.equal(named.has("lastname"), false, "the provider's name of a field that the builder has named");
      const { records, truncated } = await succeed("search_records", {
        object,
        ...where("familyName", "King"),
      });
      assert.equal(truncated, false);
      assert.equal(records.length, 1, JSON.stringify(records));
      const names = Object.keys(records[0].fields).map((name) => name.toLowerCase());
      assert.deepEqual(names.toSorted(), ["email", "familyname", "firstname"]);
      assert.equal(records[0].fields.familyName, "King");
      const { record } = await succeed("get_record", { object, id: records[0].id, fields: ["familyName"] });
      assert.deepEqual(record, { id: records[0].id, fields: { familyName: "King" } });
    });
  }

  test("pages follow each other by cursor until all records were seen once", async () => {
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await succeed("search_records", { object: "person", limit: 2, ...(cursor && { cursor }) });
      assert.ok(page.records.length <= 2);
      assert.equal(page.truncated, page.cursor !== undefined);
      seen.push(...page.records.map(({ id }: { id: string }) => id));
      ({ cursor } = page);
    } while (cursor !== undefined);
    assert.ok(seen.length > 2);
    assert.equal(new Set(seen).size, seen.length);
    const other = await refused("search_records", { object: "human", cursor: "2.abc" });
    assert.equal(other.issues[0].name, "cursor");
  });

  test("a wrong call says where the fault is and what was meant", async () => {
    const cases: [string, Record<string, unknown>, string, RegExp][] = [
      ["search_records", { object: "persn" }, "object", /Did you mean "person"/],
      [
        "search_records",
        { object: "person", fields: ["familyNam"] },
        "fields[0]",
        /Did you mean "familyName"/,
      ],
      [
        "search_records",
        { object: "person", ...where("emial", "x") },
        "filters[0].field",
        /Did you mean "email"/,
      ],
      [
        "search_records",
        { object: "person", ...where("email", "x", "gt") },
        "filters[0].operator",
        /can be used: eq/,
      ],
      ["search_records", { object: "firm" }, "integration", /hubspot, salesforce/],
      ["search_records", { objekt: "person", object: "person" }, "objekt", /object/],
      ["search_records", { object: "person", limit: 0 }, "limit", /at least 1/],
      ["find_objects", { integration: "hubspt" }, "integration", /Did you mean "hubspot"/],
      ["get_record", { object: "person" }, "id", /missing/],
    ];
    for (const [tool, args, name, advice] of cases) {
      const problem = await refused(tool, args);
      assert.equal(problem.status, 400, JSON.stringify(problem));
      assert.equal(problem.issues[0].name, name, JSON.stringify(problem));
      assert.match(problem.detail, advice);
    }
    assert.equal((await refused("get_record", { object: "person", id: "404404404" })).status, 422);
  });

  test("a hidden field is not described, returned, chosen or searched by, under neither of its names", async () => {
    const sought = where("familyName", "King");
    const { records } = await succeed("search_records", { object: "person", ...sought });
    for (const [object, field] of [
      ["person", "familyName"],
      ["CONTACTS", "LastName"],
      ["*", "lastname"],
    ] as const) {
      await setPolicy({ hiddenFields: { [object]: [field] } });
      const { fields } = await succeed("describe_object", { object: "person" });
      assert.doesNotMatch(JSON.stringify(fields), /familyName|lastname/i);
      const got = await succeed("get_record", { object: "person", id: records[0].id });
      assert.deepEqual(Object.keys(got.record.fields).toSorted(), ["email", "firstname"]);
      const all = await succeed("search_records", { object: "person" });
      assert.doesNotMatch(JSON.stringify(all), /familyName|lastname|King/);
      for (const name of ["familyName", "lastname", "LASTNAME", "properties.lastname"]) {
        const chosen = await refused("get_record", { object: "person", id: records[0].id, fields: [name] });
        const searched = await refused("search_records", { object: "contacts", ...where(name, "King") });
        assert.deepEqual([chosen.status, searched.status], [400, 400]);
        for (const problem of [chosen, searched]) {
          assert.doesNotMatch(problem.detail.replaceAll(name, ""), /familyName|lastname/i);
        }
      }
    }
    await setPolicy({});
  });

  test("a pause stops every tool, and what the policy forbids is neither listed nor done", async () => {
    await setPolicy({ paused: true });
    const paused = await refused("list_integrations");
    assert.deepEqual([paused.status, paused.retryable], [403, true]);
    assert.match(paused.detail, /paused/);
    await setPolicy({
      rules: [{ tool: "search_records", object: "contacts", decision: "forbid" }],
      default: { write: "forbid" },
    });
    const { objects } = await succeed("find_objects", { query: "person" });
    assert.deepEqual(objects[0].actions, ["get"]);
    assert.equal((await refused("search_records", { object: "person" })).status, 403);
    await succeed("search_records", { object: "human" });
    await setPolicy({});
  });

  test("an operation is shown to its own customer alone", async () => {
    const record = { email: "operation@example.com", familyName: "Shown" };
    const written = await busbar.write("hubspot", "person", { groupRef: "acme", type: "create", record });
    const { operationId } = written.body;
    const { operation, log } = await succeed("get_operation", { operationId });
    assert.deepEqual([operation.id, operation.status], [operationId, "success"]);
    assert.match(JSON.stringify(log), /create 1 person record/);
    const signer = await registerJwtKey(busbar);
    const other = await openAgent(busbar, {
      groupRef: "globex",
      credential: await signer.sign({ groupRef: "globex" }),
    });
    const { isError, content } = await other.call("get_operation", { operationId });
    assert.deepEqual([isError, content.problem.status], [true, 404]);
  });
});
