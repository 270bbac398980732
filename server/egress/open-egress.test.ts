import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { test, type TestContext } from "node:test";
import { EgressError, type EgressFailure } from "./egress-error.ts";
import { openEgress } from "./open-egress.ts";

async function serve(t: TestContext, listener: RequestListener): Promise<URL> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close().closeAllConnections());
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
}

function open(t: TestContext, allow: string[]) {
  const egress = openEgress(allow);
  t.after(() => egress.close());
  return egress;
}

const fails = (failure: EgressFailure, sent: boolean) => (error: unknown) =>
  error instanceof EgressError && error.failure === failure && error.sent === sent;

test("private, loopback, link-local, mapped and translated addresses are refused", async (t) => {
  const egress = open(t, []);
  const hosts = [
    "127.0.0.1",
    "10.1.2.3",
    "192.168.0.1",
    "172.31.0.1",
    "169.254.169.254",
    "100.64.0.1",
    "0.0.0.0",
    "2130706433",
    "0x7f.1",
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[64:ff9b::7f00:1]",
    "[fd00::1]",
    "[fe80::1]",
    "[2002:7f00:1::]",
    "[2001:0:7f00:1::]",
    "localhost",
  ];
  for (const host of hosts) {
    await assert.rejects(
      egress.send({ url: new URL(`http://${host}:9/`), method: "GET" }),
      fails("forbidden-address", false),
      host,
    );
  }
});

test("an allowed host, address or CIDR is reachable, a cloud's metadata address never", async (t) => {
  const url = await serve(t, (_request, response) => response.end("hello"));
  for (const allow of [["127.0.0.1"], ["127.0.0.0/8"], ["localhost"]]) {
    const target = new URL(url);
    if (allow[0] === "localhost") target.hostname = "localhost";
    const answer = await open(t, allow).send({ url: target, method: "GET" });
    assert.equal(answer.body.toString(), "hello");
  }
  const everything = open(t, ["0.0.0.0/0", "::/0"]);
  for (const host of [
    "169.254.169.254",
    "100.100.100.200",
    "[fd00:ec2::254]",
    "[::ffff:169.254.169.254]",
    "[::169.254.169.254]",
    "[64:ff9b::a9fe:a9fe]",
    "[2002:a9fe:a9fe::1]",
    // RFC 8215 with 96 and with 48 bits of prefix, SIIT, ISATAP with either bit, Teredo (inverted).
    "[64:ff9b:1::a9fe:a9fe]",
    "[64:ff9b:1:a9fe:a9:fe00::]",
    "[::ffff:0:169.254.169.254]",
    "[2a00:1450::5efe:a9fe:a9fe]",
    "[2a00:1450::200:5efe:a9fe:a9fe]",
    "[2001:0:102:304:0:0:5601:5601]",
  ]) {
    await assert.rejects(
      everything.send({ url: new URL(`http://${host}/`), method: "GET" }),
      fails("forbidden-address", false),
      host,
    );
  }
});

test("a failure tells whether the request may have been sent", async (t) => {
  const egress = open(t, ["127.0.0.1"]);
  const reset = await serve(t, (request) => request.socket.destroy());
  await assert.rejects(egress.send({ url: reset, method: "POST", body: "x" }), fails("broken", true));
  await assert.rejects(
    egress.send({ url: new URL("http://127.0.0.1:1/"), method: "POST", body: "x" }),
    fails("not-connected", false),
  );
});

test("a missing answer ends in a timeout, an answer beyond the size limit in an error", async (t) => {
  const egress = open(t, ["127.0.0.1"]);
  const silent = await serve(t, () => {});
  await assert.rejects(egress.send({ url: silent, method: "GET", timeoutMs: 50 }), fails("timeout", true));
  const large = await serve(t, (_request, response) => response.end(Buffer.alloc(2_000)));
  await assert.rejects(egress.send({ url: large, method: "GET", maxBytes: 1_000 }), fails("too-large", true));
});

test("redirects are returned, not followed", async (t) => {
  const url = await serve(t, (_request, response) =>
    response.writeHead(302, { location: "http://10.0.0.1/" }).end(),
  );
  const answer = await open(t, ["127.0.0.1"]).send({ url, method: "GET" });
  assert.equal(answer.status, 302);
  assert.equal(answer.headers["location"], "http://10.0.0.1/");
});

test("the lookup for clients with their own sockets returns only addresses that may be connected to", async (t) => {
  const lookUp = (allow: string[], host: string) =>
    new Promise<string>((resolve, reject) => {
      open(t, allow).guardedLookup(host)(host, { all: false }, (error, address) =>
        error ? reject(error) : resolve(String(address)),
      );
    });
  assert.match(await lookUp(["localhost"], "localhost"), /^(127\.0\.0\.1|::1)$/);
  for (const host of ["localhost", "2130706433", "0x7f.1"]) {
    await assert.rejects(lookUp([], host), fails("forbidden-address", false), host);
  }
  for (const host of ["127.0.0.1", "[::1]", "::ffff:10.0.0.1", "169.254.169.254"]) {
    assert.throws(() => open(t, []).guardedLookup(host), fails("forbidden-address", false), host);
  }
  assert.throws(() => open(t, ["169.254.0.0/16"]).guardedLookup("169.254.169.254"), /private address/);
  open(t, ["127.0.0.0/8"]).guardedLookup("127.0.0.1");
});

test("an answer that arrives a byte at a time ends at the limit for the whole exchange", async (t) => {
  const url = await serve(t, (_request, response) => {
    const drip = setInterval(() => response.write(" "), 10);
    response.on("close", () => clearInterval(drip));
  });
  const egress = open(t, ["127.0.0.1"]);
  const asked = egress.send({ url, method: "GET", timeoutMs: 5_000, totalTimeoutMs: 100 });
  await assert.rejects(asked, fails("timeout", true));
});
