/** Who may do what: no key, another project's key, a browser's key. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { openTestBusbar, type TestBusbar } from "../harness/busbar.ts";
import { connectCustomer } from "../harness/connect-customer.ts";
import { assertProblem } from "./assert-problem.ts";
import { query, traces } from "./traces.ts";

const BUSBAR = join(import.meta.dirname, "../../server/busbar.ts");
const FRONTEND_KEY = "frontend-key-0123456789-0123456789-abc";

describe("a caller", () => {
  let on: TestBusbar;
  let ids: { connectionId: string; installationId: string };
  /** A project of its own, made by hand as for a production database. */
  let other: { apiKey: string; projectId: string };
  after(() => on.stop());
  before(async () => {
    on = await openTestBusbar();
    ids = await connectCustomer(on, { provider: "hubspot", objects: ["contacts"] });
    const env = {
      ...process.env,
      DATABASE_URL: on.connectionString,
      BUSBAR_ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 7).toString("base64")}`,
    };
    const command = [BUSBAR, "bootstrap", "--org", "Other", "--project", "other"];
    other = JSON.parse((await promisify(execFile)(process.execPath, command, { env })).stdout);
    await query(
      on,
      "insert into api_keys (id, project_id, hash, label, scopes) values (gen_random_uuid(), $1, sha256($2::bytea), 'browser', '{frontend}')",
      [on.projectId, FRONTEND_KEY],
    );
  });

  const PROJECT = "/v1/projects/default";
  const create = { groupRef: "acme", type: "create", record: { email: "access@example.com" } };
  const body = { path: "/write/v1/projects/default/integrations/hubspot/objects/contacts", body: create };

  const refusals: [title: string, key: () => string, to: { path: string; body?: object }, status: number][] =
    [
      ["without a key reads nothing", () => "", { path: `${PROJECT}/integrations` }, 401],
      ["without a key writes nothing", () => "", body, 401],
      [
        "with a key that is none reads nothing",
        () => "x".repeat(40),
        { path: `${PROJECT}/integrations` },
        401,
      ],
      ["of another project reads nothing", () => other.apiKey, { path: `${PROJECT}/integrations` }, 403],
      ["of another project writes nothing", () => other.apiKey, body, 403],
      ["from a browser does not write", () => FRONTEND_KEY, body, 403],
      [
        "from a browser does not read operations",
        () => FRONTEND_KEY,
        { path: `${PROJECT}/operations/x` },
        403,
      ],
      [
        "with a full key finds no project that there is not",
        () => on.apiKey,
        { path: "/v1/projects/nothing/integrations" },
        404,
      ],
    ];
  for (const [title, key, to, status] of refusals) {
    test(`${title} (${status})`, async () => {
      const before = await traces(on);
      const method = to.body ? "POST" : "GET";
      assertProblem(await on.call(method, to.path, to.body, { "x-api-key": key() }), status);
      assert.deepEqual(await traces(on), before);
    });
  }

  test("of another project does not find this one's things under its own address either", async () => {
    const headers = { "x-api-key": other.apiKey };
    const created = await on.write("hubspot", "contacts", create);
    const things = [
      "integrations/hubspot",
      `connections/${ids.connectionId}`,
      `operations/${created.body.operationId}`,
    ];
    for (const path of things) {
      assertProblem(await on.call("GET", `/v1/projects/other/${path}`, undefined, headers), 404);
    }
    const installations = await on.call("GET", "/v1/projects/other/installations", undefined, headers);
    assert.deepEqual(installations.body, []);
  });

  test("of another project, or from a browser, calls no provider through the proxy", async () => {
    const before = on.sandbox.requests().length;
    for (const key of [other.apiKey, FRONTEND_KEY, ""]) {
      const { status } = await fetch(`${on.busbar.urls.proxy}/crm/v3/objects/contacts`, {
        headers: {
          "x-api-key": key,
          "x-amp-proxy-version": "1",
          "x-amp-project-id": on.projectId,
          "x-amp-installation-id": ids.installationId,
        },
      });
      assert.equal(status, key ? 403 : 401);
    }
    assert.equal(on.sandbox.requests().length, before);
  });

  test("from a browser reads what the browser library needs", async () => {
    for (const path of ["", "/integrations", "/connections?groupRef=acme"]) {
      const answer = await on.call("GET", `${PROJECT}${path}`, undefined, { "x-api-key": FRONTEND_KEY });
      assert.equal(answer.status, 200, answer.text);
    }
  });
});
