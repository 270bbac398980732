// HubSpot search: operators, paging, its bounds, its own rate limit.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { getAt, openCaller, readList, openSandbox, readText } from "../test-client.ts";

const sandbox = await openSandbox();
const call = openCaller(sandbox.hubspot.url, sandbox.hubspot.staticToken);
beforeEach(() => sandbox.hubspot.setLimits("off"));

async function ids(type: string, ...filters: unknown[]): Promise<unknown[]> {
  const body = {
    filterGroups: [{ filters }],
    sorts: [{ propertyName: "hs_object_id", direction: "ASCENDING" }],
  };
  const answer = await call("POST", `/crm/v3/objects/${type}/search`, body);
  assert.equal(answer.status, 200, answer.text);
  return readList(answer.json, "results").map((record) => record["id"]);
}

test("operators compare by property type", async () => {
  const employees = (operator: string, value: string, more = {}): unknown => ({
    propertyName: "numberofemployees",
    operator,
    value,
    ...more,
  });
  assert.deepEqual(await ids("companies", employees("GT", "100")), ["601", "602"]);
  assert.deepEqual(await ids("companies", employees("LTE", "250")), ["601", "603"]);
  assert.deepEqual(await ids("companies", employees("BETWEEN", "80", { highValue: "250" })), ["601", "603"]);
  assert.deepEqual(
    await ids("companies", { propertyName: "domain", operator: "IN", values: ["contoso.example"] }),
    ["603"],
  );
  assert.deepEqual(await ids("contacts", { propertyName: "email", operator: "NOT_HAS_PROPERTY" }), ["505"]);
  assert.deepEqual(
    await ids("contacts", { propertyName: "email", operator: "EQ", value: "ADA.KING@northwind.example" }),
    ["501"],
  );
  assert.deepEqual(
    await ids("contacts", {
      propertyName: "email",
      operator: "CONTAINS_TOKEN",
      value: "*@northwind.example",
    }),
    ["501", "502"],
  );
  assert.deepEqual(
    await ids(
      "contacts",
      { propertyName: "lastmodifieddate", operator: "GT", value: "2026-01-05T08:59:00Z" },
      { propertyName: "lastname", operator: "EQ", value: "king" },
    ),
    ["501"],
  );
  assert.deepEqual(
    await ids("contacts", {
      propertyName: "lastmodifieddate",
      operator: "GT",
      value: String(Date.UTC(2026, 0, 5, 9)),
    }),
    [],
  );
});

test("groups are alternatives, total counts all, after pages", async () => {
  const body = {
    filterGroups: [
      { filters: [{ propertyName: "city", operator: "EQ", value: "oslo" }] },
      { filters: [{ propertyName: "city", operator: "EQ", value: "austin" }] },
    ],
    sorts: [{ propertyName: "name", direction: "DESCENDING" }],
    limit: "1",
    properties: ["name"],
  };
  const first = await call("POST", "/crm/v3/objects/companies/search", body);
  assert.equal(getAt(first.json, "total"), 2);
  assert.equal(getAt(first.json, "results.0.properties.name"), "Northwind Traders");
  const second = await call("POST", "/crm/v3/objects/companies/search", {
    ...body,
    after: getAt(first.json, "paging.next.after"),
  });
  assert.equal(getAt(second.json, "results.0.properties.name"), "Contoso Software");
  assert.doesNotMatch(second.text, /paging/);
});

test("paging ends at ten thousand, a page at two hundred", async () => {
  const far = await call("POST", "/crm/v3/objects/contacts/search", { limit: 100, after: "9950" });
  assert.equal(far.status, 400);
  const wide = await call("POST", "/crm/v3/objects/contacts/search", { limit: 201 });
  assert.equal(wide.status, 400);
  const unknown = await call("POST", "/crm/v3/objects/contacts/search", {
    filterGroups: [{ filters: [{ propertyName: "nope", operator: "EQ", value: "1" }] }],
  });
  assert.equal(unknown.status, 400);
});

test("the sixth search of a second is refused without rate headers", async ({ mock }) => {
  // On a busy machine, eight calls take longer than a second.
  mock.timers.enable({ apis: ["Date"], now: Date.now() });
  sandbox.hubspot.setLimits("real");
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => call("POST", "/crm/v3/objects/contacts/search", {})),
  );
  const refused = answers.filter((answer) => answer.status === 429);
  assert.equal(refused.length, 3);
  assert.equal(readText(refused[0]?.json, "policyName"), "SECONDLY");
});

test("other calls are counted per token in a rolling window, with headers", async ({ mock }) => {
  mock.timers.enable({ apis: ["Date"], now: Date.now() });
  sandbox.hubspot.setLimits({ tenSecondly: 3 });
  const other = openCaller(sandbox.hubspot.url, sandbox.hubspot.mintToken().accessToken);
  const statuses = [];
  for (let i = 0; i < 4; i++) statuses.push((await call("GET", "/integrations/v1/me")).status);
  assert.deepEqual(statuses, [200, 200, 200, 429]);
  const fresh = await other("GET", "/integrations/v1/me");
  assert.equal(fresh.headers.get("x-hubspot-ratelimit-max"), "3");
  assert.equal(fresh.headers.get("x-hubspot-ratelimit-remaining"), "2");
  assert.equal(fresh.headers.get("x-hubspot-ratelimit-interval-milliseconds"), "10000");
  const missing = await other("GET", "/crm/v3/objects/contacts/999");
  assert.equal(missing.headers.get("x-hubspot-ratelimit-remaining"), "1");
  assert.equal(missing.headers.get("x-hubspot-correlation-id"), getAt(missing.json, "correlationId"));
  sandbox.hubspot.setLimits({ tenSecondly: null, daily: 0 });
  const daily = await other("GET", "/integrations/v1/me");
  assert.equal(getAt(daily.json, "policyName"), "DAILY");
});
