/** Examples are stable from run to run and contain no secrets of it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { anonymize } from "./anonymous.ts";
import { shorten } from "./shorten.ts";

const ONE = "01a1ff43-deb5-769c-b815-df87348d93c2";
const OTHER = "01a1ff43-deb5-769c-b815-df87348d93c3";

test("two runs in which the same happened give the same examples", () => {
  const run = (first: string, second: string, time: string, port: number) =>
    anonymize(`${first} ${second} ${first} ${time} http://127.0.0.1:${port}/v1/uploads/${second}`);
  const shown = run(ONE, OTHER, "2026-11-21T18:00:00.443Z", 1234);
  assert.equal(shown, run(OTHER, ONE, "2027-01-01T00:00:00Z", 4321));
  assert.match(shown, /https:\/\/busbar\.example\.com\/v1\/uploads\/0198c5f2-7a00-7000-8000-000000000002$/);
});

test("what came later stays later", () => {
  const [later = "", earlier = ""] = anonymize("2026-11-21T18:00:01Z 2026-11-21T18:00:00.5Z").split(" ");
  assert.ok(later > earlier);
});

test("no secret of the run is shown", () => {
  const secrets = [
    '"token": "abcdefghijklmnopqrstuvwxyz"',
    "whsec_c2VjcmV0",
    "bb_IpnQqi9p_q_uVlXXUnmC_WuwwsRWUbU7o",
  ];
  for (const secret of secrets) assert.ok(!anonymize(secret).includes(secret), secret);
});

test("lists and long maps are cut, and shapes are kept", () => {
  const long = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`f${index}`, index]));
  assert.deepEqual(shorten({ list: [1, 2, 3], long, text: "as it is" }), {
    list: [1, 2],
    long: { f0: 0, f1: 1, f2: 2 },
    text: "as it is",
  });
});
