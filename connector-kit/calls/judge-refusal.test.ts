/**
 * Whether an answer is the provider's. RFC 9110, section 15.5: a server should explain a 4xx in its body; providers do so in a form of
 * their own (`errors` in facts.json), and what stands between answers with pages of HTML or with nothing.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeRefusal, describeUnexplained } from "./judge-refusal.ts";
import type { ProviderErrorKind } from "./provider-error.ts";

const kindFor = (
  status: number,
  kind: ProviderErrorKind,
  {
    text = "",
    headers = {},
    isExplained = false,
  }: { text?: string; headers?: Record<string, string>; isExplained?: boolean } = {},
) => judgeRefusal({ status, headers, text }, kind, isExplained);

const PAGE = "<html><title>Maintenance</title></html>";

test("a record that is not there needs no explanation, but a page of something in between does not tell that it is gone", () => {
  assert.equal(kindFor(404, "not_found"), "not_found");
  assert.equal(kindFor(410, "not_found", { text: " \n" }), "not_found");
  assert.equal(kindFor(404, "not_found", { text: PAGE }), "unavailable");
  assert.equal(kindFor(404, "not_found", { text: PAGE, isExplained: true }), "not_found");
});

test("a 4xx without the provider's own body is tried again, whether it has a body or none", () => {
  for (const kind of ["invalid", "conflict", "forbidden"] as const)
    for (const text of ["", PAGE]) {
      assert.equal(kindFor(403, kind, { text }), "unavailable");
      assert.equal(kindFor(403, kind, { text, isExplained: true }), kind);
    }
});

test("refused credentials need no explanation, but a page of something in between does not tell that they are refused", () => {
  for (const text of ["", "{}", "null"]) assert.equal(kindFor(401, "unauthorized", { text }), "unauthorized");
  const bearer = { "www-authenticate": "Bearer" };
  assert.equal(kindFor(401, "unauthorized", { text: PAGE, headers: bearer }), "unauthorized");
  assert.equal(kindFor(401, "unauthorized", { text: PAGE }), "unavailable");
});

test("a request that is too large stays too large, whoever says so (RFC 9110, 15.5.14 and 15.5.15; RFC 6585, 5)", () => {
  for (const status of [413, 414, 431]) assert.equal(kindFor(status, "invalid", { text: PAGE }), "invalid");
});

test("a limit that the headers tell is one whatever the status says, but a refused sign-in stays one (GitHub: 403)", () => {
  const headers = { "x-ratelimit-remaining": "0" };
  assert.equal(kindFor(403, "forbidden", { headers, isExplained: true }), "rate_limited");
  assert.equal(kindFor(503, "unavailable", { headers }), "rate_limited");
  assert.equal(kindFor(403, "unauthorized", { headers, isExplained: true }), "unauthorized");
  assert.equal(kindFor(500, "unavailable", { headers }), "unavailable");
});

test("the message tells an answer of something in between from the provider's own outage, with its words", () => {
  const describe = (status: number, kind: ProviderErrorKind, text = "") =>
    describeUnexplained("Quill", { status, text }, kind);
  assert.match(describe(404, "unavailable"), /something in between may have answered$/);
  assert.match(describe(403, "unavailable", PAGE), /something in between may have answered: Maintenance$/);
  assert.match(describe(403, "unavailable", '{"message":"no"}'), /answered: \{"message":"no"\}$/);
  assert.equal(describe(500, "unavailable"), "Quill answered 500");
  assert.equal(describe(404, "not_found"), "Quill answered 404");
  assert.equal(describe(422, "invalid", '{"why": "too\n long"}'), 'Quill answered 422: {"why": "too long"}');
});
