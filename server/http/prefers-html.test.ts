/** Who gets a page and who a Problem. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { prefersHtml } from "./prefers-html.ts";

test("browsers get pages; clients that take anything, JSON first, or say nothing get JSON", () => {
  for (const accept of [
    "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8",
    "text/html",
    "TEXT/HTML, application/json",
    "application/json;q=0.5, text/html;q=0.6",
    "text/*",
  ])
    assert.equal(prefersHtml(accept), true, accept);
  for (const accept of [
    undefined,
    "",
    "*/*",
    "application/json",
    "application/problem+json, text/html",
    "application/json, text/plain, */*",
    "text/html;q=0.5, */*",
    "text/html;q=0, application/xml",
    "image/png",
  ])
    assert.equal(prefersHtml(accept), false, accept);
});
