/** What a customer's account has to offer: objects with their fields, and revisions hydrated with them. */
import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { shareTestBusbar } from "../harness/busbar.ts";
import { connectCustomer } from "../harness/connect-customer.ts";
import { bearer, registerJwtKey } from "../harness/customer-tokens.ts";
import { assertProblem } from "./assert-problem.ts";

const MANIFEST = `
specVersion: 1.0.0
integrations:
  - name: hub
    provider: hubspot
    displayName: Hub
    read:
      objects:
        - objectName: contacts
          mapToName: people
          mapToDisplayName: People
          destination: hook
          schedule: "*/30 * * * *"
          requiredFields:
            - fieldName: email
            - fieldName: firstname
              mapToName: givenName
            - mapToName: notes
              mapToDisplayName: Notes
              prompt: Which field holds notes?
          optionalFields:
            - fieldName: no_such_field
          optionalFieldsAuto: all
        - objectName: companies
          destination: hook
          requiredFields:
            - fieldName: name
        - objectName: butterflies
          destination: hook
          requiredFields:
            - fieldName: wings
    write:
      objects:
        - objectName: contacts
        - objectName: deals
          valueDefaults: { allowAnyFields: true }
    proxy:
      enabled: true
  - name: force
    provider: salesforce
    read:
      objects:
        - objectName: Account
          mapToName: companies
          destination: hook
          requiredFields:
            - fieldName: name
  - name: tasks
    provider: fake
    read:
      objects:
        - objectName: things
          destination: hook
          requiredFields:
            - fieldName: name
`;

/** A provider of which nothing is known but how to call it. */
const FAKE = {
  displayName: "Fake",
  authType: "apiKey",
  baseURL: "http://127.0.0.1:1",
  apiKeyOpts: { attachmentType: "header", header: { name: "x-key" } },
  support: { read: true, proxy: true },
};

const busbar = await shareTestBusbar({ providers: { fake: FAKE } });

busbar.sandbox.hubspot.setLimits("off");
const customer = { manifest: MANIFEST, groupRef: "acme" };
const hub = await connectCustomer(busbar, { ...customer, provider: "hubspot", integration: "hub" });
const force = await connectCustomer(busbar, { ...customer, provider: "salesforce", integration: "force" });

describe("object metadata", () => {
  beforeEach(() => busbar.sandbox.clearRequests());

  const get = (path: string, query: object = {}, headers?: Record<string, string>) =>
    busbar.inProject(
      "GET",
      `${path}?${new URLSearchParams({ groupRef: "acme", ...query })}`,
      undefined,
      headers,
    );
  const findRevision = async (integration: string): Promise<string> =>
    (await busbar.inProject("GET", `/integrations/${integration}`)).body.latestRevision.id;
  const hydrate = async (integration: string, connectionId: string, revision?: string) => {
    const id = revision ?? (await findRevision(integration));
    return busbar.inProject(
      "GET",
      `/integrations/${integration}/revisions/${id}:hydrate?connectionId=${connectionId}`,
    );
  };

  test("a HubSpot object is reported with the kinds, labels and choices of its fields", async () => {
    const { status, body, text } = await get("/providers/hubspot/objects/deals/metadata");
    assert.equal(status, 200, text);
    assert.equal(body.name, "deals");
    assert.equal(body.mappedObjectName, undefined);
    assert.equal(body.fields.dealname.valueType, "string");
    assert.equal(body.fields.amount.valueType, "float");
    assert.equal(body.fields.hs_object_id.readOnly, true);
    assert.equal(body.fields.hs_object_id.isCustom, false);
    assert.equal(body.fields.dealstage.valueType, "singleSelect");
    assert.deepEqual(body.fields.dealstage.values[0], {
      value: "appointmentscheduled",
      displayValue: "Appointment Scheduled",
    });
  });

  test("a Salesforce object too, through the installation and by its mapped name", async () => {
    const native = await get("/integrations/force/objects/Account/metadata");
    assert.equal(native.status, 200, native.text);
    const mapped = await get("/integrations/force/objects/companies/metadata", { excludeReadOnly: true });
    assert.equal(mapped.body.name, "Account");
    assert.equal(mapped.body.displayName, "Account");
    assert.equal(mapped.body.mappedObjectName, "companies");
    const { Name, OwnerId } = mapped.body.fields;
    assert.deepEqual(Name, {
      fieldName: "Name",
      displayName: "Name",
      valueType: "string",
      providerType: "string",
      readOnly: false,
      isCustom: false,
      isRequired: true,
    });
    assert.deepEqual([OwnerId.valueType, OwnerId.referenceTo], ["reference", ["User"]]);
    assert.equal(native.body.fields.CreatedDate.readOnly, true);
    assert.equal(mapped.body.fields.CreatedDate, undefined);
    const other = await get("/integrations/force/objects/Contact/metadata");
    assert.equal(other.body.mappedObjectName, undefined, "an object that the manifest does not name");
  });

  test("the provider is asked once a minute, and at once after a field was made", async () => {
    // Sensitive properties are asked for beside the others.
    const asked = () =>
      busbar.sandbox
        .requests({ provider: "hubspot", method: "GET", path: "/crm/v3/properties/tickets" })
        .filter(({ path: sent }) => !sent.includes("?")).length;
    const path = "/providers/hubspot/objects/tickets/metadata";
    await Promise.all([get(path), get(path)]);
    await get(path, { excludeReadOnly: true });
    assert.equal(asked(), 1);
    const fields = { tickets: [{ fieldName: "mood", displayName: "Mood", valueType: "string" }] };
    const made = await busbar.inProject("PUT", "/providers/hubspot/object-metadata", {
      groupRef: "acme",
      fields,
    });
    assert.equal(made.status, 200, made.text);
    assert.equal((await get(path)).body.fields.mood.displayName, "Mood");
  });

  test("what is missing is a Problem, and a failure is not remembered", async () => {
    assertProblem(await get("/providers/hubspot/objects/butterflies/metadata"), 404, "not-found");
    assertProblem(await get("/providers/salesforce/objects/Nothing__c/metadata"), 404, "not-found");
    assertProblem(
      await get("/providers/hubspot/objects/contacts/metadata", { groupRef: "no" }),
      404,
      "not-found",
    );
    assertProblem(await get("/integrations/nope/objects/contacts/metadata"), 404, "not-found");
    assertProblem(await busbar.inProject("GET", "/providers/hubspot/objects/contacts/metadata"), 400);
    busbar.sandbox.addFault({ provider: "hubspot", path: "/properties/leads", status: 503 });
    const path = "/providers/hubspot/objects/leads/metadata";
    assertProblem(await get(path), 502, "provider-unreachable");
    assert.equal((await get(path)).status, 200);
  });

  test("a customer's token opens its own group's account and no other", async () => {
    const signer = await registerJwtKey(busbar);
    const path = "/providers/hubspot/objects/contacts/metadata";
    assert.equal((await get(path, {}, bearer(await signer.sign()))).status, 200);
    const other = bearer(await signer.sign({ groupRef: "other" }));
    assertProblem(await get(path, {}, other), 403, "forbidden");
    const id = await findRevision("hub");
    const hydrating = `/integrations/hub/revisions/${id}:hydrate?connectionId=${hub.connectionId}`;
    assertProblem(await busbar.inProject("GET", hydrating, undefined, other), 404, "not-found");
  });

  test("a hydrated revision joins objects with labels, fields and what is wrong with them", async () => {
    const answer = await hydrate("hub", hub.connectionId);
    assert.equal(answer.status, 200, answer.text);
    const { content } = answer.body;
    assert.equal(content.displayName, "Hub");
    assert.equal(content.subscribe, undefined);
    assert.deepEqual(content.proxy, { enabled: true });
    const [contacts, companies, butterflies] = content.read.objects;
    assert.equal(contacts.displayName, "Contacts");
    assert.equal(contacts.mapToName, "people");
    assert.deepEqual(contacts.requiredFields, [
      { fieldName: "email", displayName: "Email" },
      { fieldName: "firstname", displayName: "First Name", mapToName: "givenName" },
      { mapToName: "notes", mapToDisplayName: "Notes", prompt: "Which field holds notes?" },
    ]);
    assert.deepEqual(contacts.optionalFields[0], {
      fieldName: "no_such_field",
      displayName: "no_such_field",
    });
    const all = contacts.allFields.map(({ fieldName }: { fieldName: string }) => fieldName);
    assert.equal(contacts.optionalFields.length, 1 + all.length - 2, "all but those that are required");
    assert.deepEqual(all, Object.keys(contacts.allFieldsMetadata));
    assert.equal(contacts.allFieldsMetadata.lifecyclestage.values[0].displayValue, "subscriber");
    assert.equal(contacts.error, undefined);
    assert.equal(companies.schedule, "");
    assert.deepEqual(companies.optionalFields, []);
    assert.match(butterflies.error, /no object `butterflies`/);
    assert.deepEqual([butterflies.displayName, butterflies.allFields], ["butterflies", []]);
    assert.deepEqual(content.write.objects, [
      { objectName: "contacts", displayName: "Contacts" },
      { objectName: "deals", displayName: "Deals", valueDefaults: { allowAnyFields: true } },
    ]);
  });

  test("Salesforce's names are found whatever their case, and an older revision can be hydrated", async () => {
    const old = await findRevision("force");
    assert.equal(
      (await busbar.inProject("PUT", "/integrations:batch", { sourceYaml: MANIFEST })).status,
      200,
    );
    assert.notEqual(await findRevision("force"), old);
    const answer = await hydrate("force", force.connectionId, old);
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.body.id, old);
    const [account] = answer.body.content.read.objects;
    assert.deepEqual(account.requiredFields, [{ fieldName: "name", displayName: "Name" }]);
    assert.ok(account.allFieldsMetadata.External_Id__c.isCustom);
  });

  test("for a provider that Busbar cannot describe every object says so, and the call succeeds", async () => {
    const connection = await busbar.inProject("POST", "/connections:generate", {
      provider: "fake",
      groupRef: "acme",
      consumerRef: "ada",
      apiKey: "secret",
    });
    assert.equal(connection.status, 201, connection.text);
    const answer = await hydrate("tasks", connection.body.id);
    assert.equal(answer.status, 200, answer.text);
    const [things] = answer.body.content.read.objects;
    assert.match(things.error, /does not know the fields of .* of fake/);
    assert.deepEqual(things.requiredFields, [{ fieldName: "name", displayName: "name" }]);
    const path = "/providers/fake/objects/things/metadata";
    assertProblem(await get(path), 400, "unsupported-by-provider");
    const put = await busbar.inProject("PUT", "/providers/fake/object-metadata", {
      groupRef: "acme",
      fields: { things: [{ fieldName: "x", displayName: "X", valueType: "string" }] },
    });
    assertProblem(put, 400, "unsupported-by-provider");
  });

  test("an outage of the provider is reported per object; a wrong revision or connection refuses the call", async () => {
    const beta = await connectCustomer(busbar, {
      provider: "hubspot",
      manifest: MANIFEST,
      integration: "hub",
      groupRef: "beta",
    });
    busbar.sandbox.addFault({ provider: "hubspot", path: "/properties/companies", status: 503 });
    const answer = await hydrate("hub", beta.connectionId);
    assert.equal(answer.status, 200, answer.text);
    const [contacts, companies] = answer.body.content.read.objects;
    assert.equal(contacts.error, undefined);
    assert.match(companies.error, /503.*Try again later/);
    assert.equal(companies.displayName, "companies");
    assertProblem(await hydrate("hub", force.connectionId), 400, "invalid-request");
    assertProblem(await hydrate("hub", "01890000-0000-7000-8000-000000000000"), 404, "not-found");
    assertProblem(await hydrate("hub", hub.connectionId, await findRevision("force")), 404, "not-found");
    assertProblem(await hydrate("hub", hub.connectionId, "latest"), 404, "not-found");
  });
});
