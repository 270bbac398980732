/** Refused requests through the API. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { shareTestBusbar } from "../../../tests/harness/busbar.ts";
import { testDatabase } from "../../../tests/harness/database.ts";
import { until } from "../../../tests/harness/until.ts";
import { Problem } from "../../../ground/errors.ts";
import { newId } from "../../../ground/ids.ts";
import { createLog } from "../../../ground/log.ts";
import { bootstrap } from "../../access/bootstrap.ts";
import { listRefusedRequests } from "../../store/access/refused-requests.ts";
import { openRequestLog } from "./request-log.ts";

const busbar = await shareTestBusbar();

describe("refused requests", () => {
  const listed = async (query = "") => (await busbar.inProject("GET", `/requests?${query}`)).body.results;
  const find = async (requestId: string | null, query = "") =>
    until(async () => {
      const rows = await listed(query);
      return rows.find((row: { requestId: string }) => row.requestId === requestId);
    });

  test("a refused request is listed with problem, key and request id", async () => {
    const refused = await busbar.inProject("POST", "/destinations", { name: "x" });
    const row = await find(refused.headers.get("x-request-id"), "status=4xx&operationId=createDestination");
    assert.deepEqual(
      [row.status, row.type, row.title, row.detail],
      [refused.status, refused.body.type, refused.body.title, refused.body.detail],
    );
    assert.deepEqual([row.method, row.path], ["POST", `/v1/projects/default/destinations`]);
    assert.match(row.apiKeyId, /^[0-9a-f-]{36}$/);
    assert.deepEqual(await listed(`text=${row.requestId}&apiKeyId=${row.apiKeyId}`), [row]);
    assert.deepEqual(await listed("status=403"), []);
    assert.equal((await busbar.inProject("GET", "/requests?status=9xx")).status, 400);
  });

  test("an unknown credential leaves no entry, a success neither, and a key in the path is not stored", async () => {
    await busbar.call("GET", "/v1/projects/default/operations/x", undefined, { "x-api-key": "bb_unknown" });
    await busbar.inProject("GET", "/integrations");
    const key = `bb_${"k".repeat(43)}`;
    const refused = await busbar.inProject("GET", `/api-keys/${key}`);
    const row = await find(refused.headers.get("x-request-id"));
    assert.doesNotMatch(JSON.stringify(row), /k{20}/);
    // The two refusals of the test before, and this one.
    assert.equal((await listed()).length, 3);
  });
});

test("of a flood of refusals one project keeps a bounded number, and the last one says so", async (t) => {
  const database = await testDatabase(t);
  const { projectId } = await database.queries
    .transaction()
    .execute((queries) => bootstrap(queries, { org: "o", project: "p" }));
  const requests = openRequestLog({ database, log: createLog("silent") });
  for (let sent = 0; sent < 2_000; sent++) {
    requests.add({
      requestId: newId(),
      projectId,
      caller: { kind: "api-key", scopes: [] },
      method: "GET",
      path: "/x",
      operationId: "getX",
      problem: new Problem("not-found", { detail: "No.\0" }),
    });
  }
  await requests.close();
  const rows = await listRefusedRequests(database.queries, { projectId }, { limit: 5_000 });
  // Two minutes, if the loop ran over the end of one.
  assert.ok(rows.length === 300 || rows.length === 600, String(rows.length));
  assert.match(rows[0]?.detail ?? "", /Only 300 refused requests/);
});
