import assert from "node:assert/strict";
import { test } from "node:test";
import { maskAddress } from "./mask-address.ts";

test("an address is shown without its query, user name, password and tokens, and otherwise as it was written", () => {
  const shown: [string, string][] = [
    ["https://example.com", "https://example.com"],
    ["https://example.com:8443/hooks/customer-updates", "https://example.com:8443/hooks/customer-updates"],
    ["https://example.com/hooks?token=abc", "https://example.com/hooks?…"],
    ["https://example.com/?secret#part", "https://example.com/?…#…"],
    ["https://ada:key@example.com/hooks", "https://…@example.com/hooks"],
    ["https://example.com/hooks/8f14e45fceea167a5a36", "https://example.com/hooks/…"],
    ["https://example.com/5f0c1b6e-1111-4222-8333-944455556666/in", "https://example.com/…/in"],
    ["https://hooks.slack.com/services/T000/B000/short", "https://hooks.slack.com/…"],
    ["https://HOOKS.zapier.com/hooks/catch/1/ab", "https://hooks.zapier.com/…"],
    ["https://hook.eu1.make.com/abc", "https://hook.eu1.make.com/…"],
    ["https://nothooks.slack.com.example/a", "https://nothooks.slack.com.example/a"],
    ["rabbit.example:5671/vhost", "rabbit.example:5671/vhost"],
    ["amqps://rabbit.example/vhost", "amqps://rabbit.example/vhost"],
    ["no address", "no address"],
  ];
  for (const [address, expected] of shown) assert.equal(maskAddress(address), expected);
});
