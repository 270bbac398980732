/** Texts in the character set that an answer names: from a real server to the text that connectors read. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test, type TestContext } from "node:test";
import { openEgress } from "./open-egress.ts";

async function readText(t: TestContext, type: string | undefined, body: Buffer): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, type === undefined ? {} : { "content-type": type }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close().closeAllConnections());
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  return (await openEgress(["127.0.0.1"]).send({ url, method: "GET" })).text();
}

const TEXT = '{"name":"M\u00fcller \u20ac"}';
/** Latin 1 as the WHATWG's Encoding Standard reads it, which is windows-1252: the Euro sign is 0x80 there. */
const LATIN = Buffer.from(TEXT.replace("\u20ac", "\u0080"), "latin1");

test("an answer is read in the character set that it names", async (t) => {
  for (const charset of ["ISO-8859-1", "windows-1252", '"iso-8859-1"'])
    assert.equal(await readText(t, `application/json;charset=${charset}`, LATIN), TEXT, charset);
  const wide = Buffer.from(TEXT, "utf16le");
  assert.equal(await readText(t, "application/json; charset=utf-16", wide), TEXT);
  assert.equal(await readText(t, "application/json; charset=utf-16be", Buffer.from(wide).swap16()), TEXT);
});

/** JSON is UTF-8 (RFC 8259, 8.1), and servers name another set by an old default. */
test("UTF-8 stays UTF-8, whatever set a server names by mistake", async (t) => {
  const types = ["application/json", "application/json; charset=ISO-8859-1", "text/plain; charset=nonsense"];
  for (const type of [undefined, ...types])
    assert.equal(await readText(t, type, Buffer.from(TEXT)), TEXT, type);
});

test("a broken byte makes no other set of UTF-8 that a server calls Latin 1 by mistake", async (t) => {
  const cut = Buffer.concat([
    Buffer.from(TEXT.slice(0, -2)),
    Buffer.from("\u00e9").subarray(0, 1),
    Buffer.from('"}'),
  ]);
  const text = await readText(t, "application/json; charset=ISO-8859-1", cut);
  assert.equal(text, `${TEXT.slice(0, -2)}\ufffd"}`);
  // One character of Latin 1 that looks like two bytes of UTF-8, and more that do not.
  const latin = Buffer.from("\u00c3\u00bc \u00fc \u00e9 \u00e8", "latin1");
  assert.equal(
    await readText(t, "text/plain; charset=ISO-8859-1", latin),
    "\u00c3\u00bc \u00fc \u00e9 \u00e8",
  );
});

test("a byte order mark tells UTF-16 where nothing else does, and is no part of the text", async (t) => {
  const wide = Buffer.from(`\ufeff${TEXT}`, "utf16le");
  assert.equal(await readText(t, "application/json", wide), TEXT);
  assert.equal(await readText(t, undefined, Buffer.from(wide).swap16()), TEXT);
  assert.equal(await readText(t, "application/json", Buffer.from(`\ufeff${TEXT}`)), TEXT);
});
