/** Calls that a caller sends without waiting for the answers before them. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { after, before, beforeEach, describe, it } from "node:test";
import {
  OURS,
  startLiteralProxy,
  targetAt,
  type LiteralProxy,
} from "../../tests/harness/proxy/literal-proxy.ts";
import { until } from "../../tests/harness/until.ts";
import { dial, startUpstream, type RawUpstream } from "../../tests/harness/proxy/wire.ts";

describe("calls in one go", () => {
  let upstream: RawUpstream;
  let proxy: LiteralProxy;
  /** What the provider waits for before it answers a request. */
  let hold: () => Promise<void> | undefined = () => undefined;
  before(async () => {
    upstream = await startUpstream(async ({ startLine, body }) => {
      await hold();
      const text = `${startLine.split(" ")[1]} ${body.toString()}`;
      return `HTTP/1.1 200 OK\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
    });
    proxy = await startLiteralProxy({ target: targetAt(upstream.origin) });
  });
  beforeEach(() => {
    upstream.received.length = 0;
    hold = () => undefined;
  });
  after(async () => {
    await proxy.close();
    upstream.close();
  });

  const post = (path: string, body: string, more = "") =>
    `POST ${path} HTTP/1.1\r\n${OURS}\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`;
  const paths = () => upstream.received.map(({ startLine }) => startLine.split(" ")[1]);

  it("reach the provider one after the other, each when the one before has its answer", async () => {
    const first = Promise.withResolvers<void>();
    hold = () => (upstream.received.length === 1 ? first.promise : undefined);
    const { socket, reader } = await dial(proxy.port);
    const expecting = post("/c", "three", "Expect: 100-continue\r\n");
    socket.write(`${post("/a", "one")}${post("/b", "two")}${expecting}GET /d HTTP/1.1\r\n${OURS}\r\n\r\n`);
    await until(() => upstream.received.length > 0);
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(paths(), ["/a"]);
    first.resolve();
    const answers = [];
    while (answers.length < 5) answers.push((await reader.message())?.body.toString());
    assert.deepEqual(answers, ["/a one", "/b two", "", "/c three", "/d "]);
    assert.deepEqual(paths(), ["/a", "/b", "/c", "/d"]);
    socket.write(post("/e", "later"));
    assert.equal((await reader.message())?.body.toString(), "/e later");
    reader.close();
  });

  it("are not made any more when the caller has left", async () => {
    const first = Promise.withResolvers<void>();
    hold = () => first.promise;
    const { socket, reader } = await dial(proxy.port);
    socket.write(post("/a", "one") + post("/b", "two"));
    await until(() => upstream.received.length > 0);
    reader.close();
    await until(() => proxy.uses.at(-1)?.status === 499);
    first.resolve();
    const other = await dial(proxy.port);
    other.socket.write(post("/c", "three"));
    await other.reader.message();
    other.reader.close();
    assert.deepEqual(paths(), ["/a", "/c"]);
  });

  it("that cannot be read end the connection instead of answering the call before them", async () => {
    const first = Promise.withResolvers<void>();
    hold = () => first.promise;
    const { socket } = await dial(proxy.port);
    const received: Buffer[] = [];
    socket.on("data", (chunk) => void received.push(chunk));
    socket.write(`${post("/a", "one")}NONSENSE\r\n\r\n`);
    await once(socket, "close");
    first.resolve();
    assert.equal(Buffer.concat(received).toString(), "");
  });
});
