/** Scans that do not get on: in a circle, without records, with the same records under ever new places. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FetchedPage, ReadPosition } from "./fetch-page.ts";
import { openScanMemory } from "./scan-memory.ts";

const position = (token: string): ReadPosition => ({
  stage: "records",
  checkpoint: { token },
  untilTime: new Date(0),
});
const buildPage = (ids: string[]): FetchedPage => ({
  position: position("here"),
  time: new Date(0),
  providerCalls: 1,
  stage: "records",
  page: { records: ids.map((id) => ({ id, raw: {}, values: {} })) },
});

/** Returns how many pages a scan reads before it is stopped, at most `max`. */
function scan(max: number, tokenAt: (index: number) => string, idsAt: (index: number) => string[]): number {
  const memory = openScanMemory();
  for (let index = 1; index <= max; index++) {
    const page = buildPage(idsAt(index));
    const next = position(tokenAt(index));
    try {
      memory.check("run", page, next)();
    } catch (error) {
      assert.match(String(error), /circle|empty|just before/);
      return index;
    }
  }
  return max;
}

const fresh = (index: number) => [`a${index}`, `b${index}`];

test("a scan in a circle ends, however long the circle is", () => {
  assert.equal(
    scan(1_000, (index) => "AB"[index % 2] ?? "", fresh),
    3,
  );
  for (const length of [1, 3, 60, 500, 3_000]) {
    const read = scan(20_000, (index) => `token ${index % length}`, fresh);
    assert.ok(read <= 3 * length + 2, `${length}: ${read}`);
  }
});

test("a scan whose places are new and whose pages are not ends, and one without records too", () => {
  assert.ok(scan(20_000, String, (index) => ["x", `y${index % 2}`]) < 100);
  assert.ok(scan(20_000, String, () => []) < 20_000);
});

test("a scan that gets on goes on, with empty pages between and records that come again", () => {
  assert.equal(
    scan(30_000, String, (index) => (index % 500 === 0 ? fresh(index) : [])),
    30_000,
  );
  assert.equal(
    scan(5_000, String, (index) => (index % 40 === 0 ? fresh(index) : ["same"])),
    5_000,
  );
});

test("a scan may read the pages of one time again, of which only the first two have exchanged a record", () => {
  const again = (index: number) =>
    index === 61 ? ["a1", "b2"] : index === 62 ? ["a2", "b1"] : fresh(((index - 1) % 60) + 1);
  assert.equal(scan(120, String, again), 120);
});

test("another attempt at a page is no other visit, and a run that has ended may begin again", () => {
  const memory = openScanMemory();
  const page = buildPage(["a"]);
  memory.check("run", buildPage(["0"]), position("A"))();
  for (let attempt = 0; attempt < 5; attempt++) memory.check("run", page, position("B"));
  memory.check("run", page, position("B"))();
  assert.throws(() => memory.check("run", page, position("A")), /circle/);
  memory.check("run", page, undefined)();
  memory.check("run", page, position("A"));
});

test("a scan that begins anew because its cursor died reads pages again, and is stopped only if it goes in a circle then", () => {
  const memory = openScanMemory();
  const visit = (token: string, ids: string[], restarted = false): void => {
    const page = buildPage(ids);
    Object.assign(page.page, restarted && { restarted });
    memory.check("run", page, position(token))();
  };
  for (let index = 0; index < 60; index++) visit(`${index}`, fresh(index));
  for (let index = 0; index < 60; index++) visit(`${index}`, fresh(index), index === 0);
  assert.throws(() => visit("3", ["new"]), /circle/);
});
