/** Compressed answers, compressed by zlib itself and sent by a real server. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { EgressError } from "./egress-error.ts";
import { openEgress } from "./open-egress.ts";

const TEXT = JSON.stringify({ name: "Ada", note: "é".repeat(5_000) });

describe("an answer", () => {
  const egress = openEgress(["127.0.0.1"]);
  let next: { encoding?: string; body: Buffer; asked?: string | undefined };
  const server = createServer((request, response) => {
    next.asked = request.headers["accept-encoding"];
    response.writeHead(200, next.encoding === undefined ? {} : { "content-encoding": next.encoding });
    response.end(next.body);
  });
  before(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
  after(async () => {
    await egress.close();
    server.close().closeAllConnections();
  });
  const ask = (encoding: string | undefined, body: Buffer, more: object = {}) => {
    next = { ...(encoding !== undefined && { encoding }), body };
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    return egress.send({ url, method: "GET", ...more });
  };

  for (const [encoding, body] of [
    ["gzip", gzipSync(TEXT)],
    ["GZip", gzipSync(TEXT)],
    ["x-gzip", gzipSync(TEXT)],
    ["deflate", deflateSync(TEXT)],
    ["deflate", deflateRawSync(TEXT)],
    ["br", brotliCompressSync(TEXT)],
    ["deflate, gzip", gzipSync(deflateSync(TEXT))],
    ["identity", Buffer.from(TEXT)],
    // Undone on the way, the header left.
    ["gzip", Buffer.from(TEXT)],
  ] as const)
    test(`compressed as ${encoding} (${body.length} bytes) is read, and says so no more`, async () => {
      const { headers, text, body: bytes } = await ask(encoding, body);
      assert.equal(text(), TEXT);
      assert.equal(bytes.toString("utf8"), TEXT);
      assert.equal(headers["content-encoding"], undefined);
      assert.match(next.asked ?? "", /gzip/);
    });

  test("that is empty has nothing to decompress", async () => {
    assert.equal((await ask("gzip", Buffer.alloc(0))).text(), "");
  });

  test("that is small when compressed and too large otherwise is refused", async () => {
    const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024));
    await assert.rejects(
      ask("gzip", bomb, { maxBytes: 1024 * 1024 }),
      (error) => error instanceof EgressError && error.failure === "too-large" && error.sent,
    );
  });

  test("that is cut within its compression is no answer, though the request was sent", async () => {
    await assert.rejects(
      ask("gzip", gzipSync(TEXT).subarray(0, 40)),
      (error) => error instanceof EgressError && error.failure === "broken" && error.sent,
    );
  });

  test("in an encoding that is not understood stays as it is", async () => {
    const { headers, text } = await ask("gzip, exi", Buffer.from("x"));
    assert.deepEqual([headers["content-encoding"], text()], ["gzip, exi", "x"]);
  });

  test("is decoded without its byte order mark", async () => {
    assert.equal((await ask(undefined, Buffer.from("\uFEFF{}"))).text(), "{}");
  });

  test("comes as it is where the caller says what it takes", async () => {
    await ask(undefined, Buffer.from("{}"), { headers: { "accept-encoding": "identity" } });
    assert.equal(next.asked, "identity");
  });
});
