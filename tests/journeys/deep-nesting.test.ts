/** JSON that is nested too deeply to be scanned: refused with the limit, whichever endpoint or provider it comes to or from. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import openApi from "../../openapi.json" with { type: "json" };
import { shareTestBusbar } from "../harness/busbar.ts";
import { connectCustomer } from "../harness/connect-customer.ts";
import { assertProblem } from "./assert-problem.ts";

const MANIFEST = `
specVersion: 1.0.0
integrations:
  - name: crm
    provider: hubspot
    read: { objects: [{ objectName: contacts, destination: hook }] }
    write: { objects: [{ objectName: contacts }] }
`;
/** JSON.stringify ends at some thousand levels, with an error that nobody expects. */
const FAR_TOO_MANY = 8_000;
const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;

const busbar = await shareTestBusbar();

const customer = await connectCustomer(busbar, {
  provider: "hubspot",
  manifest: MANIFEST,
  integration: "crm",
});

describe("JSON that is nested too deeply", () => {
  const search = (body: string) =>
    busbar.call("POST", "/search/v1/projects/default/integrations/crm?groupRef=acme", body);

  test("is refused with the limit by every endpoint that takes a JSON body", async () => {
    let count = 0;
    for (const [path, operations] of Object.entries(openApi.paths)) {
      for (const [method, operation] of Object.entries(operations)) {
        if (!("requestBody" in operation) || !("application/json" in operation.requestBody.content)) continue;
        const address = path.replace("{projectIdOrName}", "default").replaceAll(/\{\w+\}/g, "x");
        const answer = await busbar.call(method.toUpperCase(), address, nested(FAR_TOO_MANY));
        // Before the body is read, a credential may be refused that is not of the path's organisation.
        if (answer.status === 403) continue;
        assert.match(assertProblem(answer, 400, "malformed-json").detail, /500 levels/, path);
        count += 1;
      }
    }
    assert.ok(count > 40, String(count));
  });

  test("is refused just above the limit, and is not below it", async () => {
    const around = (levels: number) =>
      `{"objectName":"contacts","fieldFilters":[{"fieldName":"email","operator":"eq","value":${nested(levels)}}]}`;
    assertProblem(await search(around(498)), 400, "malformed-json");
    assertProblem(await search(around(497)), 400, "invalid-request");
  });

  test("in a provider's answer is unreadable, for a search and for a write", async () => {
    const record = `{"id":"501","properties":{"email":${nested(FAR_TOO_MANY)}}}`;
    const unreadable = { provider: "hubspot", path: "/crm/v3/objects" } as const;
    busbar.sandbox.addFault({ ...unreadable, status: 200, body: `{"total":1,"results":[${record}]}` });
    const found = await search('{"objectName":"contacts","fieldFilters":[]}');
    busbar.sandbox.clearFaults();
    assert.match(assertProblem(found, 502, "provider-unreadable").detail, /500 levels/);
    busbar.sandbox.addFault({ ...unreadable, method: "POST", status: 201, body: record });
    const written = await customer.write("contacts", { type: "create", record: { email: "a@deep.example" } });
    busbar.sandbox.clearFaults();
    assert.match(assertProblem(written, 502, "provider-unreadable").detail, /unknown.*500 levels/);
  });
});
