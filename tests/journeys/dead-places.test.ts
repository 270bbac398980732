/** Places in lists that a provider breaks at for ever, or refuses as if the key were bad: a backfill through a whole Busbar. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { openTestBusbar, type TestBusbar } from "../harness/busbar.ts";
import { addWebhook } from "../harness/deliveries/routes.ts";
import { openSink, type Sink } from "../harness/deliveries/sink.ts";
import { until } from "../harness/until.ts";

const CONNECTOR = {
  defaults: {
    list: { path: "/v1/{path}" },
    records: "items",
    paging: { cursor: { from: "next", to: "query.cursor" } },
  },
  objects: { pens: { modes: ["read"] } },
  errors: { message: ["error"] },
  sources: { documentation: "https://docs.pen.example", checked: "2026-11-29, documentation only" },
};
const MANIFEST = `
specVersion: 1.0.0
integrations:
  - name: pens
    provider: x-pen
    read:
      objects:
        - objectName: pens
          destination: sink
          requiredFields: [{ fieldName: name }]
          backfill: { defaultPeriod: { fullHistory: true } }
`;

interface Pen {
  id: number;
  name: string;
}

describe("places that a provider breaks at", () => {
  let busbar: TestBusbar;
  let sink: Sink;
  /** The first cursor that was given leads to `dead` for ever; a later one leads on. */
  let dead = { status: 500, body: '{"error":"Internal Server Error"}' };
  let given = 0;
  const vendor = createServer((request, response) => {
    request.resume();
    const cursor = new URL(request.url ?? "/", "http://vendor.example").searchParams.get("cursor");
    const answer = (status: number, body: object | string) =>
      response
        .writeHead(status, { "content-type": "application/json" })
        .end(typeof body === "string" ? body : JSON.stringify(body));
    if (cursor === null) {
      given += 1;
      answer(200, { items: [{ id: 1, name: "quill" }], next: `c${given}` });
    } else if (cursor === "c1") answer(dead.status, dead.body);
    else answer(200, { items: [{ id: 2, name: "reed" }] });
  });

  before(async () => {
    await new Promise<void>((resolve) => vendor.listen(0, "127.0.0.1", resolve));
    sink = await openSink();
    busbar = await openTestBusbar({ env: { BUSBAR_RETRY_BASE_SECONDS: "0.01" } });
    const put = await busbar.inProject("PUT", "/providers/x-pen", {
      displayName: "Pen",
      authType: "apiKey",
      apiKeyOpts: { attachmentType: "header", header: { name: "X-Key" } },
      baseURL: `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`,
      connector: CONNECTOR,
    });
    assert.equal(put.status, 200, put.text);
    await addWebhook(busbar, "sink", `${sink.url}/pens`);
    const deployed = await busbar.inProject("PUT", "/integrations:batch", { sourceYaml: MANIFEST });
    assert.equal(deployed.status, 200, deployed.text);
  });
  after(async () => {
    await busbar?.stop();
    await sink?.close();
    vendor.close().closeAllConnections();
  });

  /** Returns the ended backfill of a new customer, and the ids that arrived from it. */
  async function backfill(groupRef: string) {
    given = 0;
    const key = { provider: "x-pen", groupRef, consumerRef: "ada", apiKey: "k" };
    const connected = await busbar.inProject("POST", "/connections:generate", key);
    assert.equal(connected.status, 201, connected.text);
    const installed = await busbar.inProject("POST", "/integrations/pens/installations?skipSampling=true", {
      groupRef,
      config: {
        content: {
          provider: "x-pen",
          read: { objects: { pens: { objectName: "pens", selectedFieldsAuto: "all" } } },
        },
      },
    });
    assert.equal(installed.status, 201, installed.text);
    const operations = `/integrations/pens/installations/${installed.body.id}/operations`;
    const operation = await until(async () => {
      const { body } = await busbar.inProject("GET", operations);
      const [one] = body.results ?? [];
      return one && one.status !== "in_progress" ? one : undefined;
    });
    const ids = () =>
      sink.at("/pens").flatMap(({ body }) => JSON.parse(body).result.map(({ raw }: { raw: Pen }) => raw.id));
    return { operation, ids };
  }

  test("a cursor that is answered by 500 for ever is replaced, and the backfill ends with every record", async () => {
    const { operation, ids } = await backfill("acme");
    assert.equal(operation.status, "success", JSON.stringify(operation));
    await until(() => ids().includes(2));
    assert.deepEqual([...new Set(ids())].toSorted(), [1, 2]);
  });
});
