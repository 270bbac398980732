/** Where the command line finds the proxy, by what the server answers. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Refused } from "../http/refused.ts";
import { findProxyOrigin } from "./proxy-origin.ts";

const refusing = (status: number, origin: string) => ({
  target: { origin } as Parameters<typeof findProxyOrigin>[0]["target"],
  api: () => Promise.reject(new Refused(status, {}, "The disk of the database is full.")),
});

test("a key that may not ask for the address uses the port beside the server's", async () => {
  assert.equal(await findProxyOrigin(refusing(403, "http://127.0.0.1:4000")), "http://127.0.0.1:4001");
  await assert.rejects(findProxyOrigin(refusing(403, "http://127.0.0.1:8080")), /is not known/);
});

test("a server that cannot tell the address is not taken for one without it", async () => {
  await assert.rejects(findProxyOrigin(refusing(503, "http://127.0.0.1:8080")), {
    message: "The disk of the database is full.",
  });
});
