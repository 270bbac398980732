/** Guards the judgement of cron texts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { checkSchedule } from "./schedule.ts";

const shortest = (text: string) => {
  const verdict = checkSchedule(text);
  return verdict.valid ? verdict.shortestIntervalMinutes : verdict.reason;
};

test("the shortest distance between two runs is found wherever it lies", () => {
  assert.equal(shortest("*/10 * * * *"), 10);
  assert.equal(shortest("* * * * *"), 1);
  assert.equal(shortest("0,5 * * * *"), 5);
  assert.equal(shortest("*/11 * * * *"), 5, "from :55 to the full hour");
  assert.equal(shortest("0-59/15 8-18 * * 1-5"), 15);
  assert.equal(shortest("0 */6 * * *"), 360);
  assert.equal(shortest("0 0 * * *"), 1440);
  assert.equal(shortest("0,55 0,23 * * *"), 5, "over midnight");
  assert.equal(shortest("0 6 * * MON-FRI"), 1440);
});

test("runs on days that never follow each other are not taken for neighbours", () => {
  assert.equal(shortest("55,0 23,0 1 * *"), 55);
  assert.equal(shortest("59 23 * * 1"), 2880);
});

test("a day that comes once in four years is a day", () => {
  assert.equal(checkSchedule("0 0 29 2 *").valid, true);
});

test("a schedule that never runs is not valid", () => {
  assert.match(String(shortest("0 0 30 2 *")), /never runs/);
  assert.match(String(shortest("0 0 31 4,6 *")), /never runs/);
  assert.equal(checkSchedule("0 0 30 2 1").valid, true, "weekday and day together mean either");
});

test("what is not five fields of cron is refused", () => {
  const texts = [
    "",
    "  ",
    "@daily",
    "* * * *",
    "0 0 * * * *",
    "a b c d e",
    "61 * * * *",
    "0 24 * * *",
    "0 0 0 * *",
    "*/0 * * * *",
  ];
  const odd = [
    "0 0 L * *",
    "0 0 15W * *",
    "0 0 * * 1#2",
    "0 0 * * 7",
    "0 0 * 13 *",
    "5-1 * * * *",
    "0 0 * * ABC",
    "\0 * * * *",
  ];
  for (const text of [...texts, ...odd]) assert.equal(checkSchedule(text).valid, false, text);
});

test("the text around the fields does not matter", () => {
  assert.equal(shortest("  0   *\t* * *  "), 60);
});
