/** Event files through the API. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { shareTestBusbar } from "../../../tests/harness/busbar.ts";
import { buildEventFileUrl } from "../../deliver/event-files.ts";
import { Sealer } from "../../../ground/seal.ts";

const busbar = await shareTestBusbar();

describe("event files", () => {
  test("a token that is malformed, forged or expired is refused with 404", async () => {
    const other = new Sealer([{ id: "test", secret: Buffer.alloc(32, 8) }]);
    const event = { eventId: "01a1fecd-d759-75de-a63c-a80eaf0833b4", member: "config" };
    const forged = buildEventFileUrl(other, "", event).split("/").at(-1) ?? "";
    for (const token of ["nonsense", forged]) {
      const answer = await busbar.call("GET", `/v1/event-files/${token}`);
      assert.equal(answer.status, 404, answer.text);
    }
  });
});
