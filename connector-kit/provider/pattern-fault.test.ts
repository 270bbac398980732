/** Regular expressions of builders are refused where they could take for ever. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { findPatternFault } from "./pattern-fault.ts";

test("a pattern whose time can explode is refused, with a reason", () => {
  const refused: [pattern: string, reason: RegExp][] = [
    ["(a+)+", /repeat a group/],
    ["(?:a{1,9}){40}", /repeat a group/],
    ["(?<n>a*)*?", /repeat a group/],
    ["(a|a)(a|a)", /\|/],
    ["^a?a?a?", /at most 2/],
    ["^a*b+c{2,}", /at most 2/],
    ["a*b*", /at most 1 .* begin with \^/],
    ["x".repeat(201), /longer/],
    ["(", /not a regular expression/],
  ];
  for (const [pattern, reason] of refused) assert.match(findPatternFault(pattern) ?? "", reason, pattern);
});

test("patterns of ids and of parts of addresses are accepted", () => {
  const accepted = [
    "^[a-z]+_[A-Za-z0-9]{1,64}",
    "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{12}",
    "^https://(?<result>[^.|+*]+)\\.quill\\.example",
    "[(|)+*?]{1,9}",
    "a+?",
  ];
  for (const pattern of accepted) assert.equal(findPatternFault(pattern), undefined, pattern);
  assert.equal(findPatternFault("[a-z]+_[a-z]+", true), undefined, "an id is compared as a whole");
});
