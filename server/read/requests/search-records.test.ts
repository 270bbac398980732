/** Searches: what is found, what is refused with which place, and what the provider's answers become. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { shareTestBusbar } from "../../../tests/harness/busbar.ts";
import { connectCustomer } from "../../../tests/harness/connect-customer.ts";
import { until } from "../../../tests/harness/until.ts";

const buildManifest = (provider: string, contact: string) => `
specVersion: 1.0.0
integrations:
  - name: ${provider}
    provider: ${provider}
    read:
      objects:
        - objectName: ${contact}
          mapToName: person
          destination: hook
          requiredFields:
            - fieldName: email
            - fieldName: lastname
              mapToName: familyName
          optionalFields:
            - fieldName: firstname
        - objectName: ${provider === "hubspot" ? "companies" : "account"}
          destination: hook
          requiredFields: [{ fieldName: name }]
        - objectName: ${provider === "hubspot" ? "deals" : "opportunity"}
          destination: hook
`;
/** The family name of this person is mapped to another value. */
const buildContent = (contact: string, deal: string) => ({
  read: {
    objects: {
      [contact]: {
        objectName: contact,
        selectedFields: { firstname: true },
        selectedValueMappings: { familyName: { ROYAL: "King" } },
        fieldFilters: [{ fieldName: "firstname", operator: "eq", value: "Grace" }],
      },
      [deal]: { objectName: deal, disabled: true },
    },
  },
});

const busbar = await shareTestBusbar();

busbar.sandbox.hubspot.setLimits("off");
await connectCustomer(busbar, {
  provider: "salesforce",
  manifest: buildManifest("salesforce", "contact"),
  integration: "salesforce",
  content: buildContent("contact", "opportunity"),
});
const { installationId } = await connectCustomer(busbar, {
  provider: "hubspot",
  manifest: buildManifest("hubspot", "contacts"),
  integration: "hubspot",
  content: buildContent("contacts", "deals"),
});

describe("a search", () => {
  const search = (body: object, integration = "hubspot", groupRef = "acme") =>
    busbar.call("POST", `/search/v1/projects/default/integrations/${integration}?groupRef=${groupRef}`, body);
  const where = (...filters: [string, string | number | boolean][]) => ({
    objectName: "person",
    fieldFilters: filters.map(([fieldName, value]) => ({ fieldName, operator: "eq", value })),
  });

  for (const provider of ["hubspot", "salesforce"]) {
    test(`finds records of ${provider} by mapped and native names, shaped as in messages`, async () => {
      const { status, body, text } = await search(where(["familyName", "ROYAL"]), provider);
      assert.equal(status, 200, text);
      assert.equal(body.results.length, 1, text);
      const [found] = body.results;
      assert.deepEqual(found.fields, { email: "ada.king@northwind.example", firstname: "Ada" });
      assert.deepEqual(found.mappedFields, { familyName: "ROYAL" });
      assert.ok(found.id && found.raw);
      assert.deepEqual(body.result, body.results);
      const native = await search(where(["Email", "ada.king@northwind.example"]), provider);
      assert.equal(native.body.results?.[0]?.id, found.id, native.text);
      assert.deepEqual((await search(where(["email", "nobody@nowhere.example"]), provider)).body.results, []);
    });
  }

  test("without filters returns a page of all records, the object's own filters left aside", async () => {
    const { body, text } = await search(where());
    assert.equal(body.results.length, 5, text);
    assert.equal(body.truncated, undefined);
    const unconfigured = await search({ objectName: "companies", fieldFilters: [] });
    assert.equal(unconfigured.status, 200, unconfigured.text);
    assert.deepEqual(Object.keys(unconfigured.body.results[0].fields), ["name"]);
  });

  test("knows a field as soon as Busbar has created it", async () => {
    const byTier = {
      objectName: "person",
      fieldFilters: [{ fieldName: "tier", operator: "eq", value: "1" }],
    };
    assert.equal((await search(byTier)).status, 400);
    const made = await busbar.inProject("PUT", "/integrations/hubspot/object-metadata", {
      groupRef: "acme",
      fields: { contacts: [{ fieldName: "tier", displayName: "Tier", valueType: "string" }] },
    });
    assert.equal(made.status, 200, made.text);
    const { status, text } = await search(byTier);
    assert.equal(status, 200, text);
  });

  test("tells when the provider had more", async () => {
    const changedFrom = Date.parse("2026-01-01T00:00:00Z");
    const spec = { count: 250, changedFrom, changedTo: changedFrom, values: {} };
    busbar.sandbox.hubspot.account.generate("companies", spec);
    const { body, text } = await search({ objectName: "companies", fieldFilters: [] });
    assert.deepEqual([body.results.length, body.truncated], [200, true], text.slice(0, 500));
  });

  test("is refused with the place of what is wrong", async () => {
    const tooMany = Array.from({ length: 7 }, (_, index): [string, string] => [`f${index}`, "x"]);
    for (const [body, place, says] of [
      [{ objectName: "persons", fieldFilters: [] }, "objectName", /Did you mean/],
      [{ objectName: "deals", fieldFilters: [] }, "objectName", /disabled/],
      [{ objectName: "person" }, "fieldFilters", /missing/],
      [where(["emial", "x"]), "fieldFilters[0].fieldName", /Did you mean "email"/],
      [where(["familyNam", "x"]), "fieldFilters[0].fieldName", /Did you mean "familyName"/],
      [where(["$['emails'][0]['value']", "x"]), "fieldFilters[0].fieldName", /entry of a list/],
      [where(["email", "x"], ["EMAIL", "y"]), "fieldFilters[1].fieldName", /same field/],
      [where(["familyName", "x"], ["lastname", "y"]), "fieldFilters[1].fieldName", /same field/],
      [where(...tooMany), "fieldFilters", /at most 6/],
      [
        { objectName: "person", fieldFilters: [{ fieldName: "email", operator: "gt", value: "x" }] },
        "fieldFilters[0].operator",
        /eq/,
      ],
      [
        { objectName: "person", fieldFilters: [{ fieldName: "email", operator: "eq", value: null }] },
        "fieldFilters[0].value",
        /must/,
      ],
    ] as const) {
      const { status, body: answer, text } = await search(body);
      assert.deepEqual([status, answer.issues?.[0].name], [400, place], text);
      assert.match(answer.detail, says);
    }
    for (const [asked, says] of [
      [where(["familyName", "King"], ["Birthdate", "soon"]), /`soon` cannot be compared .* type date/],
      [where(["email", "x"], ["Description", "y"]), /cannot compare the field `Description`/],
    ] as const) {
      const { status, body, text } = await search(asked, "salesforce");
      assert.deepEqual([status, body.issues?.[0].name], [400, "fieldFilters[1]"], text);
      assert.match(body.detail, says);
      assert.match(body.type, /invalid-request$/);
    }
    assert.equal((await search(where(), "hubspot", "stranger")).status, 404);
    assert.equal((await search(where(), "nothing")).status, 404);
  });

  test("passes on what the provider answers: a rate limit, a failure, a fault in the request", async () => {
    for (const [fault, status, retryable] of [
      [{ status: 503 }, 502, true],
      [{ status: 400, body: JSON.stringify({ status: "error", message: "no such thing" }) }, 400, false],
      [{ status: 429, headers: { "retry-after": "3600" } }, 429, true],
    ] as const) {
      busbar.sandbox.addFault({ provider: "hubspot", path: "/search", ...fault });
      const { status: answered, body, text } = await search(where(["email", "x"]));
      busbar.sandbox.clearFaults();
      assert.deepEqual([answered, body.retryable], [status, retryable], text);
    }
    const waiting = await search(where(["email", "x"]));
    assert.equal(waiting.status, 429, "the connection's gate is closed for everybody");
  });

  test("a limit of searches alone is passed on, and holds up no other call of the connection", async () => {
    const body = JSON.stringify({ message: "You have reached your secondly limit.", policyName: "SECONDLY" });
    const other = await connectCustomer(busbar, {
      provider: "hubspot",
      manifest: `${buildManifest("hubspot", "contacts")}    proxy: {enabled: true}\n`,
      integration: "hubspot",
      groupRef: "searched",
      content: buildContent("contacts", "deals"),
    });
    busbar.sandbox.addFault({ provider: "hubspot", path: "/search", status: 429, body });
    const limited = await search(where(["email", "x"]), "hubspot", "searched");
    busbar.sandbox.clearFaults();
    assert.deepEqual([limited.status, limited.body.retryable], [429, true], limited.text);
    const waitMs = Date.parse(limited.body.retryAfter) - Date.now();
    assert.ok(waitMs <= 1_000, limited.text);
    const call = await other.proxied("/crm/v3/objects/companies", { "x-amp-rate-limiter-mode": "throttle" });
    assert.equal(call.status, 200, call.text);
  });

  test("names the connection that has to be connected again, and what the provider forbids", async () => {
    const other = await connectCustomer(busbar, {
      provider: "hubspot",
      manifest: buildManifest("hubspot", "contacts"),
      integration: "hubspot",
      groupRef: "globex",
      content: buildContent("contacts", "deals"),
    });
    busbar.sandbox.addFault({
      provider: "hubspot",
      path: "/search",
      status: 403,
      body: { category: "MISSING_SCOPES", message: "no scope" },
    });
    const forbidden = await search(where(["email", "x"]), "hubspot", "globex");
    busbar.sandbox.clearFaults();
    assert.match(forbidden.body.type, /permission-missing$/, forbidden.text);
    busbar.sandbox.hubspot.revokeTokens();
    const { status, body, text } = await search(where(["email", "x"]), "hubspot", "globex");
    assert.deepEqual([status, body.connectionId], [422, other.connectionId], text);
    assert.match(body.type, /reconnect-required$/);
  });

  test("leaves a line in the usage log and no operation", async () => {
    const path = `/integrations/hubspot/installations/${installationId}/proxy-calls`;
    // Lines are stored in batches, a little later.
    const body = await until(async () => {
      const { body } = await busbar.inProject("GET", path);
      const statuses = new Set(body.results.map(({ status }: { status: number }) => status));
      return isDeepStrictEqual([...statuses].toSorted(), [200, 400, 429, 502]) && body;
    });
    assert.match(body.results[0].path, /^\/search\/v1\/projects\/default\/integrations\/hubspot$/);
    const operations = await busbar.inProject(
      "GET",
      `/integrations/hubspot/installations/${installationId}/operations`,
    );
    assert.deepEqual(operations.body.results, []);
  });
});
