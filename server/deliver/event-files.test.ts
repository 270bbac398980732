/** Addresses of what was too large for a message: nobody can make one, and none serves for long. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { leaveClock } from "../../ground/clock.ts";
import { Sealer } from "../../ground/seal.ts";
import { buildEventFileUrl, readEventFileToken } from "./event-files.ts";

const key = (id: string, byte: number) => ({ id, secret: Buffer.alloc(32, byte) });
const sealer = new Sealer([key("a", 1)]);
const FILE = { eventId: "01890a5d-ac96-774b-bcce-b302099a8057", member: "config" };

const readToken = (url: string) => url.slice(url.lastIndexOf("/") + 1);

test("an address names its file for 15 minutes and no longer", (t) => {
  leaveClock();
  t.mock.timers.enable({ apis: ["Date"], now: Date.now() });
  const url = buildEventFileUrl(sealer, "https://busbar.example.com", FILE);
  assert.ok(url.startsWith("https://busbar.example.com/v1/event-files/"));
  t.mock.timers.tick(15 * 60_000 - 1);
  const { eventId, member } = readEventFileToken(sealer, readToken(url)) ?? {};
  assert.deepEqual({ eventId, member }, FILE);
  t.mock.timers.tick(2);
  assert.equal(readEventFileToken(sealer, readToken(url)), undefined);
});

test("an address that was changed, sealed with another key, or sealed for another purpose names nothing", () => {
  const token = readToken(buildEventFileUrl(sealer, "https://busbar.example.com", FILE));
  const other = readToken(buildEventFileUrl(new Sealer([key("a", 2)]), "https://busbar.example.com", FILE));
  const place = { table: "connections", column: "secrets_sealed", rowId: "", projectId: "" };
  const elsewhere = sealer.seal(JSON.stringify({ ...FILE, untilMs: Date.now() + 60_000 }), place);
  const changed = `${token.slice(0, -2)}${token.endsWith("AA") ? "BB" : "AA"}`;
  for (const wrong of ["", "x", changed, other, elsewhere, token.slice(0, 20)]) {
    assert.equal(readEventFileToken(sealer, wrong), undefined, wrong);
  }
  assert.ok(readEventFileToken(sealer, token));
});
