/** The session cookie's name, attributes and rule. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { writeExpiredCookie, isFromOwnPage, readSentSession, writeSessionCookie } from "./session-cookie.ts";

const HTTPS = "https://busbar.example";

test("with an https address the cookie belongs to this host only and is sent by https only", () => {
  assert.equal(
    writeSessionCookie("bbs_x", HTTPS),
    "__Host-busbar_session=bbs_x; Path=/; Max-Age=43200; HttpOnly; SameSite=Strict; Secure",
  );
  assert.match(writeExpiredCookie(HTTPS), /^__Host-busbar_session=; Path=\/; Max-Age=0; .*Secure$/);
  assert.equal(readSentSession({ cookie: "busbar_session=bbs_other" }, HTTPS), undefined);
  assert.equal(readSentSession({ cookie: "a=b;  __Host-busbar_session=bbs_x; c" }, HTTPS), "bbs_x");
  assert.equal(
    readSentSession({ cookie: "xbusbar_session=bbs_x; busbar_session=" }, "http://localhost"),
    undefined,
  );
});

test("only pages with the public address are our own", () => {
  assert.ok(isFromOwnPage({ "sec-fetch-site": "same-origin" }, HTTPS));
  assert.ok(isFromOwnPage({ origin: HTTPS }, HTTPS));
  for (const headers of [
    {},
    { origin: `${HTTPS}.evil.example` },
    { origin: "http://busbar.example" },
    { "sec-fetch-site": "same-site", origin: HTTPS },
  ]) {
    assert.equal(isFromOwnPage(headers, HTTPS), false, JSON.stringify(headers));
  }
});
