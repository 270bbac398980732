/** The examples of W3C Trace Context, and what strangers may send instead. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readTraceparent, toTraceparent } from "./trace-context.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN = "00f067aa0ba902b7";

test("a context is read and written as the standard has it", () => {
  for (const [flags, sampled] of [
    ["01", true],
    ["00", false],
    ["03", true],
  ] as const) {
    const header = `00-${TRACE}-${SPAN}-${flags}`;
    const context = readTraceparent(header);
    assert.deepEqual(context, { traceId: TRACE, spanId: SPAN, sampled });
    if (context) assert.equal(toTraceparent(context), `00-${TRACE}-${SPAN}-${sampled ? "01" : "00"}`);
  }
});

test("a later version may have further members", () => {
  assert.equal(readTraceparent(`cc-${TRACE}-${SPAN}-01-what-comes`)?.traceId, TRACE);
});

test("a header that is not valid is no context", () => {
  const wrong = [
    undefined,
    "",
    TRACE,
    `ff-${TRACE}-${SPAN}-01`,
    `00-${"0".repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${"0".repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01-more`,
    `00-${TRACE}-${SPAN}-1`,
    `cc-${TRACE}-${SPAN}-01-${"x".repeat(600)}`,
    [`00-${TRACE}-${SPAN}-01`, `00-${TRACE}-${SPAN}-01`],
  ];
  for (const header of wrong) assert.equal(readTraceparent(header), undefined, String(header));
});
