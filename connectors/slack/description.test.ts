/** Slack's refusals as its pages of methods tell them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { orderWrite } from "../../connector-kit/testing/order-fixture.ts";
import { replay } from "../../connector-kit/testing/replay.ts";
import { CONNECTORS } from "../connectors.gen.ts";

const { write } = CONNECTORS["slack"] ?? {};
assert.ok(write);

// https://docs.slack.dev/reference/methods/conversations.archive: "Channel has already been archived." A deletion whose answer was lost is repeated.
test("a channel that is archived already is deleted, and one that may not be archived is not", async () => {
  const remove = async (error: string) => {
    const { fetch } = replay({ status: 200, body: { ok: false, error } });
    const order = orderWrite("conversations", "delete", { fields: {}, id: "C012AB3CD" });
    const [outcome] = (await write.write(order, fetch)).outcomes;
    return outcome?.success;
  };
  assert.equal(await remove("already_archived"), true);
  assert.equal(await remove("cant_archive_general"), false);
});
