/** What becomes of an agent's write when somebody leaves while the provider carries it out: its client, or Busbar's process. */
import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { createLog } from "../../ground/log.ts";
import { buildCatalogOverlay } from "../../sandbox/catalog-overlay.ts";
import { openAgent, PROTOCOL } from "../harness/agent-client.ts";
import { openTestBusbar, type TestBusbar } from "../harness/busbar.ts";
import { connectCustomer } from "../harness/connect-customer.ts";
import { until } from "../harness/until.ts";

const MANIFEST = `
specVersion: 1.0.0
integrations:
  - name: crm
    provider: hubspot
    read:
      objects:
        - { objectName: contacts, destination: hook, requiredFields: [{ fieldName: email }, { fieldName: lastname }] }
    write:
      objects: [{ objectName: contacts, inheritMapping: true }]
`;

/** Stands before the sandbox, and keeps the answers to requests whose body has a text until they are let go. */
async function openRelay() {
  const held = new Map<string, { isHere: boolean; release: PromiseWithResolvers<void> }>();
  let target = "";
  const server = createServer((request, response) => void relay(request, response));
  const relay = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await buffer(request);
    const { method = "GET", url = "/", headers } = request;
    const { host: _host, "content-length": _length, connection: _connection, ...kept } = headers;
    const answer = await fetch(target + url, {
      method,
      headers: kept as Record<string, string>,
      ...(body.length > 0 && { body }),
    });
    const text = await answer.text();
    for (const [part, hold] of held) {
      if (!body.includes(part)) continue;
      hold.isHere = true;
      await hold.release.promise;
    }
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "text/plain" });
    response.end(text);
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    leadTo(url: string): void {
      target = url;
    },
    hold(part: string) {
      const hold = { isHere: false, release: Promise.withResolvers<void>() };
      held.set(part, hold);
      return {
        /** Waits until the provider has carried out such a request. */
        arrived: () => until(() => hold.isHere),
        release(): void {
          held.delete(part);
          hold.release.resolve();
        },
      };
    },
    close(): void {
      server.close();
      server.closeAllConnections();
    },
  };
}

const relay = await openRelay();
after(() => relay.close());

describe("an agent's write that the provider carries out", () => {
  let busbar: TestBusbar;
  /** Requests at the endpoint of agents that have ended, or whose client has left. */
  let ended = 0;
  after(async () => {
    await busbar?.stop();
  });
  before(async () => {
    const write = (line: string): void => {
      if (line.includes('"route":"/mcp/v1/projects/:projectIdOrName/groups/:groupRef"')) ended += 1;
    };
    busbar = await openTestBusbar({
      log: createLog("info", { write }),
      providers: { hubspot: buildCatalogOverlay(relay.url).providers["hubspot"] },
    });
    relay.leadTo(busbar.sandbox.url);
    busbar.sandbox.hubspot.setLimits("off");
    await connectCustomer(busbar, { provider: "hubspot", manifest: MANIFEST, integration: "crm" });
    const policy = await busbar.inProject("PUT", "/agent-policy", { default: { write: "allow" } });
    assert.equal(policy.status, 200, policy.text);
  });
  const stored = (email: string) =>
    busbar.sandbox.records("hubspot", "contacts").filter((row) => JSON.stringify(row).includes(email));
  const create = (email: string) => ({
    name: "create_record",
    arguments: { object: "contacts", record: { email, lastname: "King" } },
  });

  for (const revision of [PROTOCOL, "2025-11-25"] as const) {
    test(`a client of revision ${revision} that leaves cancels nothing: the act ends, and its repetition tells how`, async () => {
      const email = `left-${revision}@example.com`;
      const hold = relay.hold(email);
      const leaving = await openAgent(busbar, { revision });
      const left = new AbortController();
      const call = leaving.client.callTool(create(email), { signal: left.signal });
      await hold.arrived();
      const before = ended;
      left.abort(new Error("the user has closed the window"));
      await assert.rejects(call);
      await leaving.close();
      await until(() => ended > before);

      const agent = await openAgent(busbar, { revision });
      const meanwhile = await agent.call("create_record", create(email).arguments);
      assert.match(meanwhile.content.problem.type, /operation-in-progress$/, JSON.stringify(meanwhile));
      hold.release();
      const again = await until(async () => {
        const answer = await agent.call("create_record", create(email).arguments);
        return answer.isError ? undefined : answer.content;
      });
      assert.deepEqual([again.status, again.repeated], ["success", true], JSON.stringify(again));
      assert.equal(stored(email).length, 1);
      const { content } = await agent.call("get_operation", { operationId: again.operationId });
      assert.equal(content.operation.status, "success");
      await agent.close();
    });
  }

  for (const revision of [PROTOCOL, "2025-11-25"] as const) {
    test(`a process that stops gives a client of revision ${revision} the result of the act in progress`, async () => {
      const email = `stopped-${revision}@example.com`;
      const hold = relay.hold(email);
      const agent = await openAgent(busbar, { revision });
      const call = agent.client.callTool(create(email));
      await hold.arrived();
      const { base } = busbar.server.urls;
      const restarted = busbar.restart();
      // It does not listen any more.
      await until(() =>
        fetch(`${new URL(base).origin}/healthz`).then(
          () => false,
          () => true,
        ),
      );
      hold.release();
      const { structuredContent } = await call;
      assert.equal((structuredContent as { status: string }).status, "success");
      await restarted;
      assert.equal(stored(email).length, 1);
      await agent.close();
    });
  }
});
