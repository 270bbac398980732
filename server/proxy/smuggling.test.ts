/** Request smuggling: ambiguous requests and paths that leave the provider's base URL are refused by the proxy. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { after, before, describe, it } from "node:test";
import {
  OURS,
  startLiteralProxy,
  targetAt,
  type LiteralProxy,
} from "../../tests/harness/proxy/literal-proxy.ts";
import { refused, readStatus } from "../../tests/harness/proxy/refused.ts";
import { dial, listen, startUpstream, type RawUpstream } from "../../tests/harness/proxy/wire.ts";

const OURS_WITHOUT_HOST = OURS.replace("Host: proxy.test\r\n", "");

const AMBIGUOUS: Record<string, string> = {
  "both lengths": `POST / HTTP/1.1\r\n${OURS}\r\nContent-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nG`,
  "both lengths, chunked first": `POST / HTTP/1.1\r\n${OURS}\r\nTransfer-Encoding: chunked\r\nContent-Length: 6\r\n\r\n0\r\n\r\nG`,
  "two content lengths": `POST / HTTP/1.1\r\n${OURS}\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!`,
  "the same content length twice": `POST / HTTP/1.1\r\n${OURS}\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello`,
  "a content length that is a list": `POST / HTTP/1.1\r\n${OURS}\r\nContent-Length: 5, 5\r\n\r\nhello`,
  "a signed content length": `POST / HTTP/1.1\r\n${OURS}\r\nContent-Length: +5\r\n\r\nhello`,
  "a hexadecimal content length": `POST / HTTP/1.1\r\n${OURS}\r\nContent-Length: 0x5\r\n\r\nhello`,
  "a negative content length": `POST / HTTP/1.1\r\n${OURS}\r\nContent-Length: -5\r\n\r\nhello`,
  "an unknown transfer coding": `POST / HTTP/1.1\r\n${OURS}\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`,
  "two transfer codings": `POST / HTTP/1.1\r\n${OURS}\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
  "chunked twice": `POST / HTTP/1.1\r\n${OURS}\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  "chunked and identity": `POST / HTTP/1.1\r\n${OURS}\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n`,
  "a transfer coding after a vertical tab": `POST / HTTP/1.1\r\n${OURS}\r\nTransfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n`,
  "chunked in HTTP/1.0": `POST / HTTP/1.0\r\n${OURS}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  "obsolete folding": `GET / HTTP/1.1\r\n${OURS}\r\nX-A: 1\r\n Transfer-Encoding: chunked\r\n\r\n`,
  "a folded first header": `GET / HTTP/1.1\r\n X-A: 1\r\n${OURS}\r\n\r\n`,
  "bare LF after the request line": `GET / HTTP/1.1\n${OURS}\r\n\r\n`,
  "bare LF after a header": `GET / HTTP/1.1\r\n${OURS}\r\nX-A: 1\nX-B: 2\r\n\r\n`,
  "bare LF at the end of the head": `GET / HTTP/1.1\r\n${OURS}\r\n\n`,
  "bare CR in a value": `GET / HTTP/1.1\r\n${OURS}\r\nX-A: 1\rX-B: 2\r\n\r\n`,
  "NUL in a value": `GET / HTTP/1.1\r\n${OURS}\r\nX-A: 1\x002\r\n\r\n`,
  "a space before the colon": `GET / HTTP/1.1\r\n${OURS}\r\nTransfer-Encoding : chunked\r\n\r\n`,
  "a header without a name": `GET / HTTP/1.1\r\n${OURS}\r\n: x\r\n\r\n`,
  "a length after the body": `POST / HTTP/1.1\r\n${OURS}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nContent-Length: 5\r\n\r\n`,
  "chunk extensions beyond all measure": `POST / HTTP/1.1\r\n${OURS}\r\nTransfer-Encoding: chunked\r\n\r\n5;a=${"a".repeat(40_000)}\r\nhello\r\n0\r\n\r\n`,
  "duplicate Host": `GET / HTTP/1.1\r\n${OURS}\r\nHost: other.test\r\n\r\n`,
  "the same Host twice": `GET / HTTP/1.1\r\n${OURS}\r\nHost: proxy.test\r\n\r\n`,
  "no Host": `GET / HTTP/1.1\r\n${OURS_WITHOUT_HOST}\r\n\r\n`,
  "an unknown version": `GET / HTTP/3.7\r\n${OURS}\r\n\r\n`,
  "an unknown method": `SMUGGLE / HTTP/1.1\r\n${OURS}\r\n\r\n`,
  "a space in the target": `GET /a b HTTP/1.1\r\n${OURS}\r\n\r\n`,
  "bytes that are no ASCII in the target": `GET /\xe4 HTTP/1.1\r\n${OURS}\r\n\r\n`,
  "an absolute target": `GET http://other.test/ HTTP/1.1\r\n${OURS}\r\n\r\n`,
  "an absolute target with our own host": `GET http://proxy.test/ HTTP/1.1\r\n${OURS}\r\n\r\n`,
  "an asterisk": `OPTIONS * HTTP/1.1\r\n${OURS}\r\n\r\n`,
  "a fragment": `GET /a#b HTTP/1.1\r\n${OURS}\r\n\r\n`,
};

const OTHER_PROTOCOLS: Record<string, { status: number; bytes: string }> = {
  "a tunnel": { status: 405, bytes: `CONNECT other.test:443 HTTP/1.1\r\n${OURS}\r\n\r\n` },
  "a request to be shown the credentials": { status: 405, bytes: `TRACE / HTTP/1.1\r\n${OURS}\r\n\r\n` },
  "a web socket": {
    status: 400,
    bytes: `GET / HTTP/1.1\r\n${OURS}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: eA==\r\n\r\n`,
  },
  "another expectation": { status: 400, bytes: `GET / HTTP/1.1\r\n${OURS}\r\nExpect: 200-ok\r\n\r\n` },
  "trailers beyond all measure": {
    status: 431,
    bytes: `POST / HTTP/1.1\r\n${OURS}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX-A: ${"a".repeat(40_000)}\r\n\r\n`,
  },
  "headers beyond all measure": {
    status: 431,
    bytes: `GET / HTTP/1.1\r\n${OURS}\r\nX-A: ${"a".repeat(40_000)}\r\n\r\n`,
  },
};

/** Each would leave `/api` at some server. */
const CLIMBING = [
  "/../admin",
  "/a/../../admin",
  "/..",
  "/%2e%2e/admin",
  "/.%2E/admin",
  "/%2E./admin",
  "/..%2fadmin",
  "/..%5cadmin",
  "/..\\admin",
  "\\..\\admin".replace("\\", "/\\"),
  "/a%2f..%2f..%2fadmin",
  "/..;/admin",
  "/..;x=1/admin",
  "/%2e%2e;/admin",
  "/..%3bx/admin",
  "/%252e%252e/admin",
  "/..%252fadmin",
  "/%c0%ae%c0%ae/admin",
  "/..%00/admin",
];

describe("an ambiguous request", () => {
  let upstream: RawUpstream;
  let proxy: LiteralProxy;
  before(async () => {
    upstream = await startUpstream(() => "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    proxy = await startLiteralProxy({ target: targetAt(upstream.origin, { basePath: "/api" }) });
  });
  after(async () => {
    await proxy.close();
    upstream.close();
  });

  for (const [name, bytes] of Object.entries(AMBIGUOUS)) {
    it(`${name} is refused and does not reach the provider`, async () => {
      const { answer } = await refused(proxy.port, bytes);
      assert.equal(readStatus(answer), 400);
      assert.equal(upstream.received.length, 0);
    });
  }
  for (const [name, { status, bytes }] of Object.entries(OTHER_PROTOCOLS)) {
    it(`${name} is refused clearly`, async () => {
      const { answer } = await refused(proxy.port, bytes);
      assert.equal(readStatus(answer), status);
      assert.equal(upstream.received.length, 0);
    });
  }
  for (const path of CLIMBING) {
    it(`${path} does not leave the base URL`, async () => {
      const { answer } = await refused(proxy.port, `GET ${path} HTTP/1.1\r\n${OURS}\r\n\r\n`);
      assert.equal(readStatus(answer), 400);
      assert.equal(upstream.received.length, 0);
    });
  }
  it("bare LF and missing CR in chunks end the connection before the body is complete", async () => {
    for (const body of [
      "5\nhello\r\n0\r\n\r\n",
      "5\r\nhello\n0\r\n\r\n",
      "5\r\nhello\r\n0\n\n",
      "5 \r\nhello\r\n0\r\n\r\n",
      "-5\r\nhello\r\n",
    ]) {
      const { socket, reader } = await dial(proxy.port);
      socket.write(`POST / HTTP/1.1\r\n${OURS}\r\nTransfer-Encoding: chunked\r\n\r\n${body}`);
      const answer = await reader.message();
      assert.equal(readStatus(answer), 400, JSON.stringify(body));
      reader.close();
    }
    assert.equal(upstream.received.length, 0);
  });
});

/** Proxy and caller could disagree where each of these ends; the rest would be read as the answer of another call. */
const AMBIGUOUS_ANSWERS: Record<string, string> = {
  "both lengths": "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
  "two content lengths": "Content-Length: 2\r\nContent-Length: 3\r\n\r\nok!",
  "a content length that is a list": "Content-Length: 2, 2\r\n\r\nok",
  "a signed content length": "Content-Length: +2\r\n\r\nok",
  "a space before the colon": "Content-Length : 2\r\n\r\nok",
  "bare LF after a header": "X-A: 1\nContent-Length: 2\r\n\r\nok",
  "bare CR in a value": "X-A: 1\rContent-Length: 2\r\n\r\nok",
  "obsolete folding": "X-A: 1\r\n Content-Length: 2\r\n\r\nok",
  "NUL in a value": "X-A: 1\x002\r\nContent-Length: 2\r\n\r\nok",
};

describe("an ambiguous answer", () => {
  for (const [name, rest] of Object.entries(AMBIGUOUS_ANSWERS)) {
    it(`because of ${name} is not passed on`, async (t) => {
      const upstream = await startUpstream(() => `HTTP/1.1 200 OK\r\n${rest}`);
      const proxy = await startLiteralProxy({ target: targetAt(upstream.origin) });
      t.after(async () => {
        await proxy.close();
        upstream.close();
      });
      const { answer } = await refused(proxy.port, `GET / HTTP/1.1\r\n${OURS}\r\n\r\n`);
      assert.equal(readStatus(answer), 502);
    });
  }
});

describe("an upload that becomes unreadable", () => {
  it("does not put a refusal into the middle of the provider's answer", async (t) => {
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nbegin"));
    });
    const proxy = await startLiteralProxy({ target: targetAt(`http://127.0.0.1:${await listen(server)}`) });
    t.after(async () => {
      await proxy.close();
      server.close();
    });
    const { socket, reader } = await dial(proxy.port);
    socket.write(`POST / HTTP/1.1\r\n${OURS}\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n`);
    await reader.head();
    const received: Buffer[] = [];
    socket.on("data", (chunk) => void received.push(chunk));
    socket.write("nonsense\r\n");
    await once(socket, "close", { signal: AbortSignal.timeout(60_000) });
    assert.ok(!Buffer.concat(received).includes("HTTP/1.1"));
  });
});

describe("an unusual but valid path", () => {
  it("passes unchanged", async (t) => {
    const upstream = await startUpstream(() => "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    const proxy = await startLiteralProxy({ target: targetAt(upstream.origin, { basePath: "/api" }) });
    t.after(async () => {
      await proxy.close();
      upstream.close();
    });
    const { socket, reader } = await dial(proxy.port);
    const paths = [
      "//other.test/x",
      "/@other.test/",
      "/a..b/...",
      "/x?y=../..",
      "/.hidden/./x",
      "/%2fx",
      "/\\other.test\\x",
    ];
    for (const path of paths) {
      socket.write(`GET ${path} HTTP/1.1\r\n${OURS}\r\n\r\n`);
      assert.equal(readStatus(await reader.message()), 200);
    }
    reader.close();
    assert.deepEqual(
      upstream.received.map(({ startLine }) => startLine),
      paths.map((path) => `GET /api${path} HTTP/1.1`),
    );
    assert.ok(upstream.received.every(({ lines }) => lines[0] === `host: 127.0.0.1:${upstream.port}`));
  });
});
