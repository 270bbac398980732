/** Commands with keys that may do one thing only, against a real server. */
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { shareTestBusbar } from "../../tests/harness/busbar.ts";
import { runCli } from "../../tests/harness/command-line.ts";
import { connectCustomer } from "../../tests/harness/connect-customer.ts";

const server = await shareTestBusbar({});

describe("a key with one scope", () => {
  let projectId = "";
  const keys: Record<string, string> = {};
  before(async () => {
    await connectCustomer(server, { provider: "hubspot", objects: ["contacts"] });
    projectId = (await server.inProject("GET", "")).body.id;
    for (const scope of ["write", "proxy"]) {
      keys[scope] = (await server.inProject("POST", "/api-keys", { label: scope, scopes: [scope] })).body.key;
    }
  });

  const busbar = (scope: string, text: string) => {
    const { base, proxy } = server.server.urls;
    const env = { BUSBAR_URL: base, BUSBAR_PROXY_URL: proxy, BUSBAR_API_KEY: keys[scope] };
    return runCli(text.split(" "), { env });
  };
  const write = "write hubspot contacts --group acme --set email=a@b.example";
  const proxy = "proxy GET /crm/objects/2026-03/contacts --integration hubspot --group acme";

  test("writes where the project is named, and is told to name it where it is not", async () => {
    const unnamed = await busbar("write", write);
    assert.equal(unnamed.code, 2);
    assert.match(unnamed.stderr, /key may not look up its project\.\n.*--project or BUSBAR_PROJECT/);
    const named = await busbar("write", `${write} --project default`);
    assert.equal(named.code, 0, named.stderr);
  });

  test("calls the proxy where the project's id is given, and is told to give the id instead of a name", async () => {
    const called = await busbar("proxy", `${proxy} --project ${projectId}`);
    assert.equal(called.code, 0, called.stderr);
    assert.match(called.stdout, /"results"/);
    for (const more of ["", " --project default"]) {
      const { code, stderr } = await busbar("proxy", proxy + more);
      assert.equal(code, 2);
      assert.match(stderr, /key may not look up (its|the) project.*\n.*--project.* id/);
    }
  });
});
