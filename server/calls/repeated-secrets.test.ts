/** Providers that repeat the credentials of a request in their errors. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { startTestBusbar } from "../../tests/harness/busbar.ts";
import { until } from "../../tests/harness/until.ts";
import { createLog } from "../../ground/log.ts";
import { addWebhook } from "../../tests/harness/deliveries/routes.ts";

const SECRET = "sk-live-4711-abcdef";

const KINDS = {
  header: {
    facts: {
      authType: "apiKey",
      apiKeyOpts: { attachmentType: "header", header: { name: "Authorization", valuePrefix: "Bearer " } },
    },
    credentials: { apiKey: SECRET },
  },
  query: {
    facts: { authType: "apiKey", apiKeyOpts: { attachmentType: "query", query: { name: "key" } } },
    credentials: { apiKey: SECRET },
  },
  basic: {
    facts: { authType: "basic" },
    credentials: { basicAuth: { username: "ada", password: SECRET } },
  },
};

test("credentials that a provider repeats in a refusal are neither answered, nor stored, nor logged", async (scope) => {
  const provider = createServer((request, response) => {
    const sent = `${request.url} ${request.headers.authorization}`;
    const decoded = Buffer.from(request.headers.authorization?.split(" ")[1] ?? "", "base64").toString();
    response.statusCode = 400;
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ error: `no access with ${sent} ${decoded}` }));
  });
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
  scope.after(() => provider.close());
  const lines: string[] = [];
  const busbar = await startTestBusbar(scope, {
    log: createLog("debug", { write: (line) => void lines.push(line) }),
  });
  const baseURL = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  await addWebhook(busbar, "hook", `${baseURL}/hook`);
  for (const [kind, { facts, credentials }] of Object.entries(KINDS)) {
    const key = `x-${kind}`;
    const connector = {
      defaults: { list: { path: "/{path}" }, records: "results", paging: { none: true } },
      objects: { people: { modes: ["read"] } },
      errors: { message: ["error"] },
      sources: { documentation: "https://quill.example", checked: "2026-11-22, documentation only" },
    };
    const put = await busbar.inProject("PUT", `/providers/${key}`, { baseURL, ...facts, connector });
    assert.equal(put.status, 200, put.text);
    const sourceYaml = JSON.stringify({
      specVersion: "1.0.0",
      integrations: [
        {
          name: kind,
          provider: key,
          read: {
            objects: [{ objectName: "people", destination: "hook", requiredFields: [{ fieldName: "name" }] }],
          },
        },
      ],
    });
    assert.equal((await busbar.inProject("PUT", "/integrations:batch", { sourceYaml })).status, 200);
    const who = { groupRef: "acme", consumerRef: "ada" };
    const made = await busbar.inProject("POST", "/connections:generate", {
      provider: key,
      ...who,
      ...credentials,
    });
    assert.equal(made.status, 201, made.text);
    const installed = await busbar.inProject(
      "POST",
      `/integrations/${kind}/installations?skipSampling=true`,
      {
        groupRef: "acme",
        config: { content: { provider: key } },
      },
    );
    assert.equal(installed.status, 201, installed.text);
    const integration = `v1/projects/default/integrations/${kind}`;
    const searched = await busbar.call("POST", `/search/${integration}?groupRef=acme`, {
      objectName: "people",
      fieldFilters: [],
    });
    assert.match(searched.text, /no access with/);
    const read = await busbar.call("POST", `/read/${integration}/objects/people`, {
      groupRef: "acme",
      mode: "async",
    });
    const operation = `/operations/${read.body.operationId}`;
    const ended = await until(async () => {
      const one = await busbar.inProject("GET", operation);
      return one.body.status === "failure" && one;
    });
    assert.match(ended.text, /no access with/);
    const logs = await busbar.inProject("GET", `${operation}/logs`);
    for (const { text } of [searched, ended, logs]) assert.ok(!text.includes(SECRET), `${kind}: ${text}`);
  }
  assert.ok(!lines.join("").includes(SECRET));
});
