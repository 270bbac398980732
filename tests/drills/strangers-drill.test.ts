/** The drill of strangers in its short form: the whole one, with times, is tests/drills/strangers-drill.ts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { listRefusalFaults, runStrangersDrill } from "./strangers-drill.ts";
import { startTestBusbar } from "../harness/busbar.ts";
import { connectCustomer } from "../harness/connect-customer.ts";

test("callers without a credential are refused before their bodies are read, and others are served meanwhile", async (t) => {
  const busbar = await startTestBusbar(t);
  // A fast machine makes more calls than the provider allows.
  busbar.sandbox.hubspot.setLimits("off");
  const customer = await connectCustomer(busbar, { provider: "hubspot", objects: ["contacts"] });
  let written = 0;
  const report = await runStrangersDrill(
    {
      origin: new URL(busbar.server.urls.base).origin,
      pid: process.pid,
      calls: {
        healthz: () => busbar.call("GET", "/healthz"),
        proxied: () => customer.proxied("/crm/v3/objects/contacts?limit=1"),
        written: () =>
          customer.write("contacts", { type: "create", record: { email: `w${(written += 1)}@example.com` } }),
      },
    },
    { seconds: 1.5, largeCallers: 4 },
  );
  assert.deepEqual(listRefusalFaults(report), []);
});
