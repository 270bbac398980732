/** Pipelined requests: a caller that does not wait for answers gets no call out of order and no mixed answers. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { after, before, beforeEach, describe, it } from "node:test";
import {
  OURS,
  startLiteralProxy,
  targetAt,
  type LiteralProxy,
} from "../../tests/harness/proxy/literal-proxy.ts";
import { readStatus } from "../../tests/harness/proxy/refused.ts";
import { until } from "../../tests/harness/until.ts";
import {
  dial,
  findHeader,
  startUpstream,
  type RawUpstream,
  type WireMessage,
} from "../../tests/harness/proxy/wire.ts";

const post = (path: string, body: string, more = "") =>
  `POST ${path} HTTP/1.1\r\n${OURS}\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`;

const echo = ({ startLine, body }: WireMessage): string => {
  const text = `${startLine.split(" ")[1]} ${body.toString()}`;
  return `HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
};

let upstream: RawUpstream;
let proxy: LiteralProxy;
let respond: Parameters<typeof startUpstream>[0];
before(async () => {
  upstream = await startUpstream((request, socket) => respond(request, socket));
  proxy = await startLiteralProxy({ target: targetAt(upstream.origin) });
});
beforeEach(() => {
  upstream.received.length = 0;
  respond = echo;
});
after(async () => {
  await proxy.close();
  upstream.close();
});

const paths = () => upstream.received.map(({ startLine }) => startLine.split(" ")[1]);

/** Holds the provider's answers back until `release`. */
function holdAnswers(): { release(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  respond = async (request) => {
    await promise;
    return echo(request);
  };
  return { release: resolve };
}

function assertRefused(answer: WireMessage | undefined): void {
  assert.equal(readStatus(answer), 400);
  assert.equal(findHeader(answer?.lines ?? [], "x-amp-error"), "true");
  assert.equal(findHeader(answer?.lines ?? [], "connection"), "close");
  assert.match(JSON.parse(answer?.body.toString() ?? "").detail, /not sent to the provider/);
}

describe("a request before the previous answer is complete", () => {
  for (const [name, second] of Object.entries({
    "a GET": `GET /b HTTP/1.1\r\n${OURS}\r\n\r\n`,
    "a POST": post("/b", "two"),
    "a POST that expects 100 Continue": post("/b", "two", "Expect: 100-continue\r\n"),
    "a POST whose body is incomplete": post("/b", "two").slice(0, -1),
    "several requests": post("/b", "two") + post("/c", "three") + post("/d", "four"),
  })) {
    it(`is refused behind that answer and ends the connection: ${name}`, async () => {
      const { release } = holdAnswers();
      const { reader, socket } = await dial(proxy.port);
      socket.write(post("/a", "one") + second);
      await until(() => upstream.received.length > 0);
      release();
      assert.equal((await reader.message())?.body.toString(), "/a one");
      assertRefused(await reader.message());
      assert.equal(await reader.message(), undefined);
      assert.deepEqual(paths(), ["/a"]);
    });
  }

  it("does not interrupt an answer that has begun", async () => {
    const rest = Promise.withResolvers<string>();
    respond = (_, socket) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf");
      return rest.promise;
    };
    const { reader, socket } = await dial(proxy.port);
    socket.write(post("/a", "one"));
    await until(() => upstream.received.length > 0);
    socket.write(post("/b", "two"));
    // A refusal on a later connection shows that the proxy has read what was sent before it.
    const other = await dial(proxy.port);
    other.socket.write("GET / HTTP/1.1\r\n\r\n");
    await other.reader.message();
    other.reader.close();
    rest.resolve("half");
    assert.equal((await reader.message())?.body.toString(), "halfhalf");
    assertRefused(await reader.message());
    assert.deepEqual(paths(), ["/a"]);
  });

  it("is never sent when the caller leaves", async () => {
    const { release } = holdAnswers();
    const { reader, socket } = await dial(proxy.port);
    socket.write(post("/a", "one") + post("/b", "two"));
    await until(() => upstream.received.length > 0);
    reader.close();
    await until(() => proxy.uses.at(-1)?.status === 499);
    release();
    const other = await dial(proxy.port);
    other.socket.write(post("/c", "three"));
    await other.reader.message();
    other.reader.close();
    assert.deepEqual(paths(), ["/a", "/c"]);
  });

  for (const [name, bytes] of Object.entries({
    "that is unreadable": "NONSENSE\r\n\r\n",
    "that asks for a tunnel": `CONNECT other.test:443 HTTP/1.1\r\n${OURS}\r\n\r\n`,
  })) {
    it(`${name} ends the connection, because our refusal would be read as the pending answer`, async () => {
      const { release } = holdAnswers();
      const { socket } = await dial(proxy.port);
      const received: Buffer[] = [];
      socket.on("data", (chunk) => void received.push(chunk));
      socket.write(post("/a", "one"));
      await until(() => upstream.received.length > 0);
      socket.write(bytes);
      await once(socket, "close", { signal: AbortSignal.timeout(60_000) });
      release();
      assert.equal(Buffer.concat(received).toString(), "");
    });
  }
});

describe("a request after the previous answer is complete", () => {
  it("is served on the same connection, also behind a refusal", async () => {
    const { reader, socket } = await dial(proxy.port);
    for (const [path, status] of [
      ["/a", 200],
      ["/a#b", 400],
      ["/b", 200],
    ] as const) {
      socket.write(post(path, "x"));
      assert.equal(readStatus(await reader.message()), status);
    }
    reader.close();
    assert.deepEqual(paths(), ["/a", "/b"]);
  });
});

describe("a request behind an answer that ends the connection", () => {
  it("is never sent", async () => {
    const { reader, socket } = await dial(proxy.port);
    const refused = "POST /a HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\nx";
    socket.write(refused + post("/b", "two"));
    const answer = await reader.message();
    assert.equal(readStatus(answer), 400);
    assert.equal(findHeader(answer?.lines ?? [], "connection"), "close");
    assert.equal(await reader.message(), undefined);
    assert.deepEqual(paths(), []);
  });
});
