/** Published client libraries work through the proxy when only their base URL and their headers change. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Client } from "@hubspot/api-client";
import jsforce from "jsforce";
import { shareTestBusbar } from "../harness/busbar.ts";
import { connectCustomer } from "../harness/connect-customer.ts";

const busbar = await shareTestBusbar();

for (const provider of ["hubspot", "salesforce"] as const) {
  await connectCustomer(busbar, { provider, objects: ["contacts"] });
}

describe("published clients through the proxy", () => {
  const headersFor = (integration: string) => ({
    "x-api-key": busbar.apiKey,
    "x-amp-proxy-version": "1",
    "x-amp-project-id": busbar.projectId,
    "x-amp-integration-name": integration,
    "x-amp-group-ref": "acme",
  });

  test("jsforce queries, creates, updates, describes and is refused as Salesforce does", async () => {
    const connection = new jsforce.Connection({
      instanceUrl: busbar.server.urls.proxy,
      // jsforce wants a token; the proxy puts the customer's in its place.
      accessToken: "not-the-customers",
      version: "60.0",
    });
    addHeaders(connection, headersFor("salesforce"));
    const contacts = connection.sobject("Contact");
    const created = await contacts.create({ LastName: "Proxied", Email: "proxied@example.com" });
    assert.equal(created.success, true);
    const id = created.id ?? "";
    assert.equal((await contacts.update({ Id: id, FirstName: "Pat" })).success, true);
    const found = await connection.query(`SELECT Id, Name FROM Contact WHERE Id = '${id}'`);
    assert.deepEqual(
      found.records.map((record) => record["Name"]),
      ["Pat Proxied"],
    );
    const described = await contacts.describe();
    assert.ok(described.fields.some((field) => field.name === "LastName"));
    const global = await connection.describeGlobal();
    assert.ok(global.sobjects.some((object) => object.name === "Account"));
    const refused = async (): Promise<unknown> => connection.query("SELECT Nope FROM Contact");
    await assert.rejects(refused, { errorCode: "INVALID_FIELD" });
  });

  test("api-client for HubSpot creates, reads, searches and refuses as HubSpot does", async () => {
    const client = new Client({
      accessToken: "not-the-customers",
      basePath: busbar.server.urls.proxy,
      defaultHeaders: headersFor("hubspot"),
    });
    const { basicApi, searchApi } = client.crm.contacts;
    const created = await basicApi.create({
      properties: { email: "proxied@example.com", firstname: "Proxima" },
      associations: [],
    });
    const read = await basicApi.getById(created.id, ["firstname"]);
    assert.equal(read.properties["firstname"], "Proxima");
    const found = await searchApi.doSearch({
      query: "proxima",
      limit: 5,
      after: "0",
      sorts: [],
      properties: ["email"],
      filterGroups: [],
    });
    assert.deepEqual(
      found.results.map((result) => result.id),
      [created.id],
    );
    await assert.rejects(basicApi.getById("1"), /404/);
  });
});

/** jsforce sends everything through `request`; the headers are all that Busbar asks of its callers. */
function addHeaders(
  connection: InstanceType<typeof jsforce.Connection>,
  headers: Record<string, string>,
): void {
  const send = connection.request.bind(connection);
  connection.request = (request, options) => {
    const full = typeof request === "string" ? { method: "GET" as const, url: request } : request;
    return send({ ...full, headers: { ...full.headers, ...headers } }, options);
  };
}
