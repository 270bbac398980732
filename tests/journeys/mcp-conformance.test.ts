/** The protocol's official tests of servers, against the endpoints of agents and against their transport. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, describe, test } from "node:test";
import fastify, { type FastifyInstance } from "fastify";
import { parse } from "yaml";
import { AgentSession } from "../../server/agents/agent-session.ts";
import { serveAgents } from "../../server/agents/serve-agents.ts";
import { buildAgentUrl } from "../harness/agent-client.ts";
import { shareTestBusbar } from "../harness/busbar.ts";
import { connectCustomer } from "../harness/connect-customer.ts";
import { openDiagnosticHandler } from "./diagnostic-server.ts";

const REVISION = "2026-07-28";
const CONFORMANCE = join(import.meta.dirname, "../node_modules/@modelcontextprotocol/conformance");

/** Required of a server of the revision, and about the protocol itself: no tools of the tests' own are needed. */
const WITHOUT_DIAGNOSTICS = [
  "tools-list",
  "server-sse-multiple-streams",
  "sep-2164-resource-not-found",
  "dns-rebinding-protection",
  "input-required-result-missing-input-response",
  "input-required-result-unsupported-methods",
  "input-required-result-ignore-extra-params",
  "input-required-result-validate-input",
  "http-header-validation",
];

/** Runs what the revision requires; returns whether each scenario passed. */
async function runConformance(url: string): Promise<Map<string, boolean>> {
  const child = spawn(
    process.execPath,
    [join(CONFORMANCE, "dist/index.js"), "server", "--url", url, "--requirements", REVISION],
    {
      stdio: ["ignore", "pipe", "ignore"],
    },
  );
  const output = await text(child.stdout);
  const summary = output.slice(output.indexOf("=== SUMMARY ==="), output.indexOf("Not scored for"));
  const lines = summary.matchAll(/^([✓✗]) ([\w-]+): (\d+) passed, (\d+) failed/gmu);
  return new Map(Array.from(lines, ([, mark, name = ""]) => [name, mark === "✓"]));
}

/** The program sends no credential, so something between adds one, as a client would. */
async function addCredential(target: URL, credential: string): Promise<{ url: string; server: Server }> {
  const server = createServer((asked, answer) => {
    const { method = "GET", headers } = asked;
    const forwarded = request(
      target,
      { method, headers: { ...headers, authorization: `Bearer ${credential}` } },
      (got) => {
        answer.writeHead(got.statusCode ?? 500, got.headers);
        got.pipe(answer);
      },
    );
    forwarded.once("error", () => answer.destroy());
    asked.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, server };
}

const busbar = await shareTestBusbar();

await connectCustomer(busbar, { provider: "hubspot", objects: ["contacts"] });

describe(`the official tests of revision ${REVISION}`, () => {
  const servers: Server[] = [];
  let app: FastifyInstance | undefined;
  after(async () => {
    for (const server of servers) server.close().closeAllConnections();
    await app?.close();
  });

  test("the endpoint of a customer passes every scenario that needs no tool of the tests' own", async () => {
    const { url, server } = await addCredential(new URL(buildAgentUrl(busbar)), busbar.apiKey);
    servers.push(server);
    const passed = await runConformance(url);
    const failed = WITHOUT_DIAGNOSTICS.filter((scenario) => !passed.get(scenario));
    assert.deepEqual(failed, []);
  });

  test("with the tests' own tools on it, the transport passes every required scenario", async () => {
    app = fastify();
    const project = { id: "", name: "default", orgId: "" };
    const session = new AgentSession({
      project,
      rights: new Set(["full"]),
      principal: { kind: "key", id: "test" },
      requestId: "test",
    });
    const serving = {
      publicUrl: () => "http://127.0.0.1",
      docsUrl: () => "http://127.0.0.1/docs",
      clientAddress: () => "127.0.0.1",
    };
    serveAgents(app, serving, {
      path: "/mcp",
      title: "Diagnostics",
      scopes: ["full"],
      identify: async () => session,
      handler: openDiagnosticHandler(),
      tools: [],
    });
    const passed = await runConformance(`${await app.listen({ host: "127.0.0.1", port: 0 })}/mcp`);
    const required = parse(await readFile(join(CONFORMANCE, `requirements/${REVISION}.yaml`), "utf8"))
      .server as string[];
    assert.equal(required.length, 37);
    assert.deepEqual(
      required.filter((scenario) => !passed.get(scenario)),
      [],
    );
  });
});
