/** `busbar sandbox PROVIDER` serves a vendor as the facts about it say. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startProviderSandbox } from "./sandbox-command.ts";

test("a provider without facts is refused with the names of those that have some", async () => {
  await assert.rejects(
    startProviderSandbox("nothing", 0),
    /no simulation of "nothing"; without a name the CRMs are served; there are .*quickbooks/,
  );
});
