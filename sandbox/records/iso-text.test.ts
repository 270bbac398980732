// The fast writer of times.

import assert from "node:assert/strict";
import { test } from "node:test";
import { toIsoText } from "./iso-text.ts";

test("times are written as Date writes them", () => {
  for (let i = 0; i < 2_000; i++) {
    const ms = Math.floor(i * 1_234_567_891.7 - 1e11);
    assert.equal(toIsoText(ms), new Date(ms).toISOString());
  }
});
