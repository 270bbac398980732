// HubSpot's published client works against the sandbox.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "@hubspot/api-client";
import { openSandbox } from "../../sandbox/test-client.ts";

const sandbox = await openSandbox();
const client = new Client({ accessToken: sandbox.hubspot.staticToken, basePath: sandbox.hubspot.url });

test("records can be created, read, searched and deleted", async () => {
  const { basicApi, batchApi, searchApi } = client.crm.contacts;
  const created = await basicApi.create({ properties: { email: "client@x.example" }, associations: [] });
  assert.equal(created.properties["email"], "client@x.example");
  assert.ok(created.createdAt instanceof Date);
  const updated = await basicApi.update(created.id, { properties: { firstname: "Cleo" } });
  assert.equal(updated.properties["firstname"], "Cleo");
  const listed = await basicApi.getPage(2, undefined, ["email"]);
  assert.equal(listed.results.length, 2);
  assert.ok(listed.paging?.next?.after);
  const read = await batchApi.read({
    inputs: [{ id: created.id }],
    properties: ["firstname"],
    propertiesWithHistory: [],
  });
  assert.equal(read.results[0]?.properties["firstname"], "Cleo");
  const found = await searchApi.doSearch({
    query: "cleo",
    limit: 5,
    after: "0",
    sorts: [],
    properties: ["email"],
    filterGroups: [],
  });
  assert.equal(found.total, 1);
  await basicApi.archive(created.id);
  await assert.rejects(basicApi.getById(created.id), /404/);
});

test("definitions can be listed and a refusal carries HubSpot's body", async () => {
  const properties = await client.crm.properties.coreApi.getAll("contacts");
  assert.ok(properties.results.some((property) => property.name === "email" && property.hasUniqueValue));
  await assert.rejects(
    client.crm.contacts.basicApi.create({ properties: { email: "bad" }, associations: [] }),
    /INVALID_EMAIL/,
  );
});
