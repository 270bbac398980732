/** Holds that times are written and read as `Date` does it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readIsoTime, writeIsoTime } from "./iso-time.ts";

/** Times of all ages, and the edges of seconds, days, months, years and of what a `Date` holds. */
function listTimes(): number[] {
  const times = [
    0, -1, 1, 999, 1_000, 59_999, 60_000, 86_399_999, 86_400_000, -86_400_000, 8.64e15, -8.64e15,
  ];
  for (const year of [0, 1, 99, 100, 999, 1600, 1900, 2000, 2024, 2026, 2100, 9999, 10_000, -1]) {
    for (const month of [0, 1, 2, 11]) {
      const edge = new Date(0);
      edge.setUTCFullYear(year, month, 1);
      times.push(edge.getTime(), edge.getTime() - 1);
    }
  }
  for (let round = 0; round < 20_000; round += 1) {
    const scale = 10 ** (3 + 12.9 * Math.random());
    times.push(Math.trunc((Math.random() * 2 - 1) * Math.min(scale, 8.64e15)));
    times.push(Math.trunc(Math.random() * 4e12));
  }
  // `Date` knows no negative zero.
  return times.map((ms) => new Date(ms).getTime());
}

test("a time is written as Date writes it, one beyond four digits of a year as the nearest, and one that is none is refused", () => {
  for (const ms of listTimes()) {
    const text = new Date(ms).toISOString();
    const nearest =
      { "+": "9999-12-31T23:59:59.999Z", "-": "0000-01-01T00:00:00.000Z" }[text.charAt(0)] ?? text;
    assert.equal(writeIsoTime(new Date(ms)), nearest);
  }
  assert.throws(() => writeIsoTime(new Date(Number.NaN)), RangeError);
});

test("a time that is read is the one that Date reads, in both forms", () => {
  for (const ms of listTimes()) {
    const text = new Date(ms).toISOString();
    const isPlain = /^(?!00)\d{4}-/.test(text);
    assert.equal(readIsoTime(text), isPlain ? ms : undefined, text);
    assert.equal(readIsoTime(text.replace("Z", "+0000")), isPlain ? ms : undefined, text);
  }
});

test("what is damaged is left to Date: whatever is read of it is what Date reads", () => {
  const letters = "0123456789-:.TZz+ e";
  let readable = 0;
  for (let round = 0; round < 100_000; round += 1) {
    const text = [...new Date(Math.trunc(Math.random() * 4e12)).toISOString()];
    const changes = 1 + Math.floor(Math.random() * 3);
    for (let change = 0; change < changes; change += 1)
      text[Math.floor(Math.random() * 24)] = letters[Math.floor(Math.random() * letters.length)] ?? "";
    const damaged = text.join("");
    const ms = readIsoTime(damaged);
    if (ms === undefined) continue;
    readable += 1;
    assert.equal(ms, new Date(damaged).getTime(), damaged);
  }
  assert.ok(readable > 1_000, `${readable}`);
});

test("days that a month does not have, and hours that a day does not have, are left to Date", () => {
  for (const text of [
    "2026-02-29T00:00:00.000Z",
    "2026-04-31T00:00:00.000Z",
    "2026-13-01T00:00:00.000Z",
    "2026-00-10T00:00:00.000Z",
    "2026-01-00T00:00:00.000Z",
    "2026-01-01T24:00:00.000Z",
    "2026-01-01T00:60:00.000Z",
    "2026-01-01T00:00:60.000Z",
    "2026-01-01T00:00:00.000+0100",
    "2026-01-01T00:00:00.00Z",
    "",
  ])
    assert.equal(readIsoTime(text), undefined, text);
  assert.equal(readIsoTime("2024-02-29T23:59:59.999Z"), Date.UTC(2024, 1, 29, 23, 59, 59, 999));
});
