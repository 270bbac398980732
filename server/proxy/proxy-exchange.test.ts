/** How a call ends when one side leaves, breaks off, is slow or silent. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { describe, it, type TestContext } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import {
  OURS,
  startLiteralProxy,
  targetAt,
  type LiteralProxy,
} from "../../tests/harness/proxy/literal-proxy.ts";
import { refused, readStatus } from "../../tests/harness/proxy/refused.ts";
import { until } from "../../tests/harness/until.ts";
import { dial, listen, startUpstream, type RawUpstream } from "../../tests/harness/proxy/wire.ts";

type AnswerBytes = Parameters<typeof startUpstream>[0];

async function start(
  t: TestContext,
  answer: AnswerBytes,
  options: Partial<Parameters<typeof startLiteralProxy>[0]> = {},
): Promise<{ upstream: RawUpstream; proxy: LiteralProxy }> {
  const upstream = await startUpstream(answer);
  const proxy = await startLiteralProxy({ target: targetAt(upstream.origin), ...options });
  t.after(async () => {
    await proxy.close();
    upstream.close();
  });
  return { upstream, proxy };
}

const GET = `GET /x HTTP/1.1\r\n${OURS}\r\n\r\n`;
const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

describe("a caller that leaves", () => {
  it("ends the call to the provider while it waits for the answer", async (t) => {
    const { upstream, proxy } = await start(t, () => undefined);
    const { socket } = await dial(proxy.port);
    socket.write(GET);
    await until(() => upstream.received.length === 1);
    socket.destroy();
    await until(() => upstream.sockets.size === 0);
    await until(() => proxy.uses.length === 1);
    assert.equal(proxy.uses[0]?.status, 499);
  });

  it("ends the call in the middle of the answer", async (t) => {
    const { upstream, proxy } = await start(t, () => "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
    const { socket, reader } = await dial(proxy.port);
    socket.write(GET);
    await reader.head();
    socket.destroy();
    await until(() => upstream.sockets.size === 0);
  });

  it("ends the call in the middle of its upload", async (t) => {
    const { upstream, proxy } = await start(t, () => undefined);
    const { socket } = await dial(proxy.port);
    socket.write(`POST /x HTTP/1.1\r\n${OURS}\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n`);
    await until(() => upstream.sockets.size === 1);
    socket.destroy();
    await until(() => upstream.sockets.size === 0);
  });
});

describe("a provider that breaks off", () => {
  for (const [name, bytes] of [
    ["with a length", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"],
    ["in chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n"],
  ]) {
    it(`in the middle of an answer ${name} leaves the caller with a visibly incomplete answer`, async (t) => {
      const { proxy } = await start(
        t,
        (_, socket) => void socket.write(bytes ?? "", () => setTimeout(() => socket.destroy(), 20)),
      );
      const { socket, reader } = await dial(proxy.port);
      socket.write(GET);
      assert.equal(await reader.message(), undefined);
      assert.ok(reader.isOver || socket.destroyed || socket.readableEnded);
    });
  }

  it("in the middle of an answer to HTTP/1.0 resets the connection, because its end would look complete", async (t) => {
    const { proxy } = await start(t, (_, socket) => {
      socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n", () =>
        setTimeout(() => socket.destroy(), 20),
      );
      return undefined;
    });
    const { socket, reader } = await dial(proxy.port);
    socket.write(GET.replace("HTTP/1.1", "HTTP/1.0"));
    const reset = once(socket, "error", { signal: AbortSignal.timeout(60_000) });
    await reader.head();
    const [error] = await reset;
    assert.equal(error.code, "ECONNRESET");
  });

  it("before the answer is a 502 of the proxy", async (t) => {
    const { proxy } = await start(t, (_, socket) => void socket.destroy());
    const { answer, problem } = await refused(
      proxy.port,
      `POST /x HTTP/1.1\r\n${OURS}\r\nContent-Length: 2\r\n\r\nhi`,
    );
    assert.equal(readStatus(answer), 502);
    assert.match(problem.detail, /may have been carried out/);
  });

  it("with something that is not HTTP is a 502 of the proxy", async (t) => {
    const { proxy } = await start(t, () => "SSH-2.0-OpenSSH\r\n\r\n");
    assert.equal(readStatus((await refused(proxy.port, GET)).answer), 502);
  });

  it("by refusing the connection is a 502 of the proxy", async (t) => {
    const { upstream, proxy } = await start(t, () => OK);
    upstream.close();
    const { answer, problem } = await refused(
      proxy.port,
      `POST /x HTTP/1.1\r\n${OURS}\r\nContent-Length: 2\r\n\r\nhi`,
    );
    assert.equal(readStatus(answer), 502);
    assert.match(problem.detail, /could not be reached/);
  });

  it("with an unrequested upgrade is a 502 of the proxy", async (t) => {
    const { proxy } = await start(
      t,
      () => "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n",
    );
    assert.equal(readStatus((await refused(proxy.port, GET)).answer), 502);
  });
});

describe("silence", () => {
  it("of a provider that never answers is a 504 of the proxy", async (t) => {
    const { upstream, proxy } = await start(t, () => undefined, { answerTimeoutMs: 100 });
    const { answer } = await refused(proxy.port, GET);
    assert.equal(readStatus(answer), 504);
    await until(() => upstream.sockets.size === 0);
  });

  it("in the middle of an answer ends it visibly", async (t) => {
    const { proxy } = await start(t, () => "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf", {
      idleTimeoutMs: 100,
    });
    const { socket, reader } = await dial(proxy.port);
    socket.write(GET);
    assert.equal(await reader.message(), undefined);
  });

  for (const framing of ["Content-Length: 100000", "Content-Length: 100", "Transfer-Encoding: chunked"]) {
    it(`of a caller in the middle of its upload (${framing}) is a 408, not the provider's fault`, async (t) => {
      const { upstream, proxy } = await start(t, () => undefined, {
        answerTimeoutMs: 100,
        idleTimeoutMs: 100,
      });
      const { answer } = await refused(
        proxy.port,
        `POST /x HTTP/1.1\r\n${OURS}\r\n${framing}\r\n\r\n5\r\nhello\r\n`,
      );
      assert.equal(readStatus(answer), 408);
      await until(() => upstream.sockets.size === 0);
    });
  }

  it("of a caller that never reads its answer ends both connections", async (t) => {
    const { upstream, proxy } = await start(
      t,
      () =>
        Buffer.concat([
          Buffer.from("HTTP/1.1 200 OK\r\nContent-Length: 50000000\r\n\r\n"),
          Buffer.alloc(50_000_000),
        ]),
      { answerTimeoutMs: 100, idleTimeoutMs: 100 },
    );
    const { socket } = await dial(proxy.port);
    socket.pause();
    socket.write(GET);
    await until(() => upstream.sockets.size === 1);
    await until(() => upstream.sockets.size === 0);
    socket.destroy();
  });

  it("is limited, not the duration of an answer", async (t) => {
    const { proxy } = await start(
      t,
      async (_, socket) => {
        socket.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n");
        for (let at = 0; at < 10; at++) {
          await wait(600);
          socket.write(String(at));
        }
        return undefined;
      },
      { idleTimeoutMs: 5_000 },
    );
    const { socket, reader } = await dial(proxy.port);
    socket.write(GET);
    assert.equal((await reader.message())?.body.toString(), "0123456789");
  });
});

describe("an answer before the upload is over", () => {
  it("reaches the caller, and the connection serves the next call", async (t) => {
    const large = 4 * 1024 * 1024;
    const proxy = await startLiteralProxy({ target: targetAt(await startHasty(t)) });
    t.after(() => proxy.close());
    const { socket, reader } = await dial(proxy.port);
    socket.write(`POST /x HTTP/1.1\r\n${OURS}\r\nContent-Length: ${large}\r\n\r\n`);
    socket.write(Buffer.alloc(large));
    assert.equal(readStatus(await reader.message()), 413);
    socket.write(GET);
    assert.equal(readStatus(await reader.message()), 413);
    reader.close();
  });
});

/** A provider that refuses as soon as it has seen the head; its origin. */
async function startHasty(t: TestContext): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("data", () => socket.write("HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n"));
    socket.resume();
  });
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return `http://127.0.0.1:${await listen(server)}`;
}

describe("Expect: 100-continue", () => {
  it("is granted by the proxy once the call may proceed", async (t) => {
    const { upstream, proxy } = await start(t, () => OK);
    const { socket, reader } = await dial(proxy.port);
    socket.write(`POST /x HTTP/1.1\r\n${OURS}\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n`);
    assert.equal((await reader.head())?.startLine, "HTTP/1.1 100 Continue");
    assert.equal(upstream.received.length, 0);
    socket.write("hello");
    assert.equal(readStatus(await reader.message()), 200);
    assert.equal(upstream.received[0]?.body.toString(), "hello");
    reader.close();
  });

  it("is not granted to a call that is refused, and the connection ends", async (t) => {
    const { proxy } = await start(t, () => OK);
    const { socket, reader } = await dial(proxy.port);
    socket.write("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n");
    assert.equal(readStatus(await reader.message()), 400);
    assert.equal(await reader.message(), undefined);
    reader.close();
  });
});

describe("connections", () => {
  it("ask a provider for HTTP/1.1 alone, because HTTP/2 would rewrite the headers", async (t) => {
    let hello = Buffer.alloc(0);
    const server = createServer((socket) => {
      socket
        .on("error", () => {})
        .once("data", (bytes) => {
          hello = bytes;
          socket.destroy();
        });
    });
    const origin = `https://127.0.0.1:${await listen(server)}`;
    const proxy = await startLiteralProxy({ target: targetAt(origin) });
    t.after(async () => {
      await proxy.close();
      server.close();
    });
    assert.equal(readStatus((await refused(proxy.port, GET)).answer), 502);
    assert.ok(hello.includes("\x08http/1.1"));
    assert.ok(!hello.includes("\x02h2"));
  });

  it("pass no interim answers of the provider but early hints (`flow.test.ts`)", async (t) => {
    const { proxy } = await start(t, () => `HTTP/1.1 102 Processing\r\n\r\n${OK}`);
    const { socket, reader } = await dial(proxy.port);
    socket.write(GET);
    assert.equal(readStatus(await reader.message()), 200);
    reader.close();
  });

  it("that offer HTTP/2 continue with HTTP/1.1", async (t) => {
    const { upstream, proxy } = await start(t, () => OK);
    const { socket, reader } = await dial(proxy.port);
    const offer = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk";
    socket.write(`GET /x HTTP/1.1\r\n${OURS}\r\n${offer}\r\n\r\n`);
    assert.equal(readStatus(await reader.message()), 200);
    assert.deepEqual(upstream.received[0]?.lines.slice(2), ["Authorization: Bearer provider-token"]);
    reader.close();
  });
});

describe("trailers", () => {
  const upload = (lines: string) =>
    `POST /x HTTP/1.1\r\n${OURS}\r\n${lines}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX-Sum: 1\r\n\r\n`;
  const trailed = "Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 1\r\nX-Amp-Error: true\r\n\r\n";

  for (const [name, lines] of Object.entries({
    announced: "Trailer: X-Sum\r\nTE: trailers\r\n",
    "not announced": "",
  })) {
    it(`of a request (${name}) are dropped, and its body passes`, async (t) => {
      const { upstream, proxy } = await start(t, () => OK);
      const { socket, reader } = await dial(proxy.port);
      socket.write(upload(lines));
      assert.equal(readStatus(await reader.message()), 200);
      reader.close();
      const [received] = upstream.received;
      assert.equal(received?.body.toString(), "hello");
      assert.deepEqual(received?.trailers, []);
      assert.ok(!received?.lines.some((line) => /^(trailer|te):/i.test(line)));
    });

    it(`of an answer (${name}) are dropped, and its body passes`, async (t) => {
      const { proxy } = await start(t, () => `HTTP/1.1 200 OK\r\n${lines}${trailed}`);
      const { socket, reader } = await dial(proxy.port);
      socket.write(GET);
      const answer = await reader.message();
      reader.close();
      assert.equal(answer?.body.toString(), "ok");
      assert.deepEqual(answer?.trailers, []);
      assert.ok(!answer?.lines.some((line) => /^trailer:/i.test(line)));
    });
  }
});

describe("the proxy does not act as a client library", () => {
  it("bodies are not decompressed, and Accept-Encoding is the caller's", async (t) => {
    const zipped = gzipSync("hello ".repeat(100));
    const head = `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${zipped.length}\r\n\r\n`;
    const { upstream, proxy } = await start(t, () => Buffer.concat([Buffer.from(head), zipped]));
    const { socket, reader } = await dial(proxy.port);
    socket.write(
      `POST /x HTTP/1.1\r\n${OURS}\r\nContent-Encoding: gzip\r\nContent-Length: ${zipped.length}\r\n\r\n`,
    );
    socket.write(zipped);
    const answer = await reader.message();
    assert.ok(answer?.body.equals(zipped));
    assert.ok(upstream.received[0]?.body.equals(zipped));
    assert.ok(!upstream.received[0]?.lines.some((line) => /^accept-encoding:/i.test(line)));
    reader.close();
  });

  it("redirects are not followed but passed, with their cookies", async (t) => {
    const moved = "Location: https://other.test/y?a=b\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2; Path=/";
    const { upstream, proxy } = await start(
      t,
      () => `HTTP/1.1 307 Temporary Redirect\r\n${moved}\r\nContent-Length: 0\r\n\r\n`,
    );
    const { socket, reader } = await dial(proxy.port);
    socket.write(`POST /x HTTP/1.1\r\n${OURS}\r\nContent-Length: 2\r\n\r\nhi`);
    const answer = await reader.message();
    assert.equal(readStatus(answer), 307);
    assert.deepEqual(answer?.lines.slice(0, 3), moved.split("\r\n"));
    assert.equal(upstream.received.length, 1);
    reader.close();
  });
});
