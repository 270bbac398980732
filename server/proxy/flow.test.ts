/** Backpressure: a large body is sent as fast as its receiver reads it, in bounded memory. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { describe, it, type TestContext } from "node:test";
import { OURS, startLiteralProxy, targetAt } from "../../tests/harness/proxy/literal-proxy.ts";
import { until } from "../../tests/harness/until.ts";
import { dial, listen } from "../../tests/harness/proxy/wire.ts";

const SIZE = 100 * 1024 * 1024;
/** More than the kernel can buffer for four sockets on loopback. */
const HELD_BY_OTHERS = 48 * 1024 * 1024;
const PIECE = Buffer.alloc(64 * 1024, "x");

/** Writes `SIZE` bytes as fast as the socket accepts them. */
function pour(socket: Socket): void {
  let left = SIZE;
  const more = () => {
    while (left > 0) {
      left -= PIECE.length;
      if (!socket.write(PIECE)) return;
    }
    socket.off("drain", more);
  };
  socket.on("drain", more);
  more();
}

/** Counts bytes; does not read before `open`. */
function sink(socket: Socket): { count(): number; open(): void } {
  let count = 0;
  socket.on("data", (chunk) => {
    count += chunk.length;
  });
  socket.pause();
  return { count: () => count, open: () => void socket.resume() };
}

async function serverWith(t: TestContext, onSocket: (socket: Socket) => void): Promise<string> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => {});
    onSocket(socket);
  });
  const port = await listen(server);
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return `http://127.0.0.1:${port}`;
}

const STILL_MS = 500;

/** Waits until a number is above zero and has not changed for half a second, and returns it. */
async function settled(read: () => number): Promise<number> {
  let last = 0;
  let sinceMs = Date.now();
  await until(() => {
    const now = read();
    if (now !== last) sinceMs = Date.now();
    last = now;
    return now > 0 && Date.now() - sinceMs > STILL_MS;
  }, 60_000);
  return last;
}

describe("100 MB", () => {
  it("to a caller that does not read make the provider wait", async (t) => {
    let provider: Socket | undefined;
    const origin = await serverWith(t, (socket) => {
      provider = socket;
      socket.once("data", () => {
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${SIZE}\r\n\r\n`);
        pour(socket);
      });
    });
    const proxy = await startLiteralProxy({ target: targetAt(origin) });
    t.after(() => proxy.close());
    const { socket } = await dial(proxy.port);
    socket.removeAllListeners("data");
    const caller = sink(socket);
    socket.write(`GET /x HTTP/1.1\r\n${OURS}\r\n\r\n`);
    const taken = await settled(() => (provider ? provider.bytesWritten - provider.writableLength : 0));
    assert.ok(taken < HELD_BY_OTHERS, `the provider could send ${taken} bytes`);
    caller.open();
    await until(() => caller.count() > SIZE);
    socket.destroy();
  });

  it("to a provider that does not read make the caller wait", async (t) => {
    let provider: { count(): number; open(): void } | undefined;
    const origin = await serverWith(t, (socket) => {
      provider = sink(socket);
    });
    const proxy = await startLiteralProxy({ target: targetAt(origin) });
    t.after(() => proxy.close());
    const { socket } = await dial(proxy.port);
    socket.write(`POST /x HTTP/1.1\r\n${OURS}\r\nContent-Length: ${SIZE}\r\n\r\n`);
    pour(socket);
    const taken = await settled(() => socket.bytesWritten - socket.writableLength);
    assert.ok(taken < HELD_BY_OTHERS, `the caller could send ${taken} bytes`);
    provider?.open();
    await until(() => (provider?.count() ?? 0) > SIZE);
    socket.destroy();
    await once(socket, "close");
  });
});

describe("early hints", () => {
  const answer = (socket: Socket, link: string) => {
    socket.once("data", () => {
      socket.write(`HTTP/1.1 103 Early Hints\r\nlink: ${link}\r\nx-secret: no\r\n\r\n`);
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
    });
  };
  const LINK = "</next?page=2>; rel=preload; as=fetch";

  for (const { name, link, version, hints } of [
    { name: "are passed before the answer", link: LINK, version: "1.1", hints: 1 },
    { name: "are not passed to callers of HTTP/1.0", link: LINK, version: "1.0", hints: 0 },
    { name: "that are no links are left out", link: "nothing", version: "1.1", hints: 0 },
  ] as const)
    it(name, async (t) => {
      const origin = await serverWith(t, (socket) => answer(socket, link));
      const proxy = await startLiteralProxy({ target: targetAt(origin) });
      t.after(() => proxy.close());
      const { socket, reader } = await dial(proxy.port);
      t.after(() => reader.close());
      let text = "";
      socket.on("data", (chunk: Buffer) => (text += chunk.toString()));
      socket.write(`GET /x HTTP/${version}\r\n${OURS}\r\n\r\n`);
      await until(() => text.endsWith("ok"));
      const reported = text.match(/HTTP\/1\.1 103 [^\r]*\r\n[Ll]ink: ([^\r]*)\r\n\r\n/g) ?? [];
      assert.equal(reported.length, hints, text);
      assert.ok(!text.includes("x-secret"));
      assert.match(text, /HTTP\/1\.1 200 OK\r\n/);
    });
});
