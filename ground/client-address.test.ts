import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { test } from "node:test";
import { openClientAddress } from "./client-address.ts";

const readAddress = (trusted: string[], peer: string, forwarded?: string) =>
  openClientAddress(trusted)({
    headers: { ...(forwarded !== undefined && { "x-forwarded-for": forwarded }) },
    socket: { remoteAddress: peer } as Socket,
  });

test("without trusted proxies, X-Forwarded-For changes nothing", () => {
  assert.equal(readAddress([], "10.0.0.1", "192.0.2.1"), "10.0.0.1");
});

test("the client is the last hop that no trusted proxy added, whatever it wrote before that", () => {
  const trusted = ["10.0.0.0/8", "fd00::/8"];
  assert.equal(readAddress(trusted, "::ffff:10.0.0.1", "192.0.2.9, 198.51.100.7"), "198.51.100.7");
  assert.equal(readAddress(trusted, "fd00::1", "6.6.6.6, 198.51.100.7:4711, 10.2.3.4"), "198.51.100.7");
  assert.equal(readAddress(trusted, "10.0.0.1", "[2001:db8::1]:80"), "2001:db8::1");
  assert.equal(readAddress(trusted, "203.0.113.5", "192.0.2.1"), "203.0.113.5");
  assert.equal(readAddress(trusted, "10.0.0.1", "unknown"), "10.0.0.1");
  assert.equal(readAddress(trusted, "10.0.0.1"), "10.0.0.1");
});
