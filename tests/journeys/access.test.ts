/** Calls that their caller may not make leave nothing behind; which calls those are stands in server/access/. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { describe, test } from "node:test";
import { promisify } from "node:util";
import { shareTestBusbar } from "../harness/busbar.ts";
import { BUSBAR } from "../harness/child-busbar.ts";

import { connectCustomer } from "../harness/connect-customer.ts";
import { assertProblem } from "./assert-problem.ts";
import { readTraces } from "./traces.ts";

const busbar = await shareTestBusbar();

await connectCustomer(busbar, { provider: "hubspot", objects: ["contacts"] });
const env = {
  ...process.env,
  DATABASE_URL: busbar.connectionString,
  BUSBAR_ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 7).toString("base64")}`,
};
const command = [BUSBAR, "bootstrap", "--org", "Other", "--project", "other"];
/** A project of its own, made by hand as for a production database. */
const other: { apiKey: string; projectId: string } = JSON.parse(
  (await promisify(execFile)(process.execPath, command, { env })).stdout,
);
const made = await busbar.inProject("POST", "/api-keys", { label: "web", scopes: ["frontend"] });
const frontendKey: string = made.body.key;

describe("a caller", () => {
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
      ["from a browser does not write", () => frontendKey, body, 403],
      [
        "from a browser does not read operations",
        () => frontendKey,
        { path: `${PROJECT}/operations/x` },
        403,
      ],
      [
        "with a full key finds no project that there is not",
        () => busbar.apiKey,
        { path: "/v1/projects/nothing/integrations" },
        404,
      ],
    ];
  for (const [title, key, to, status] of refusals) {
    test(`${title} (${status})`, async () => {
      const before = await readTraces(busbar);
      const method = to.body ? "POST" : "GET";
      assertProblem(await busbar.call(method, to.path, to.body, { "x-api-key": key() }), status);
      assert.deepEqual(await readTraces(busbar), before);
    });
  }
});
