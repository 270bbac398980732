/** Refusals of requests whose body is still being sent. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { OURS, startLiteralProxy, targetAt } from "../../tests/harness/proxy/literal-proxy.ts";
import { readStatus } from "../../tests/harness/proxy/refused.ts";
import { until } from "../../tests/harness/until.ts";
import { dial } from "../../tests/harness/proxy/wire.ts";

const UNREACHABLE = targetAt("http://127.0.0.1:1");
const chunk = `10000\r\n${"x".repeat(65_536)}\r\n`;

/** A caller whose request is refused before its body is complete. */
async function refusedCaller(t: TestContext, port: number) {
  const { socket, reader } = await dial(port);
  t.after(() => reader.close());
  // Writing to a connection that the proxy has cut off is an error.
  socket.on("error", () => {});
  socket.write(`POST / HTTP/1.1\r\n${OURS}\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}`);
  assert.equal(readStatus(await reader.message()), 502);
  return { socket, reader };
}

describe("the connection of a refused request", () => {
  it("serves the next request if the body is sent to its end in time", async (t) => {
    const proxy = await startLiteralProxy({ target: UNREACHABLE, lingerMs: 2_000 });
    t.after(() => proxy.close());
    const { socket, reader } = await refusedCaller(t, proxy.port);
    socket.write(`${chunk}0\r\n\r\n`);
    // The time limit of this later request ends after that of the first one.
    const later = await refusedCaller(t, proxy.port);
    await until(() => later.socket.destroyed);
    socket.write(`POST / HTTP/1.1\r\n${OURS}\r\nContent-Length: 2\r\n\r\nhi`);
    assert.equal(readStatus(await reader.message()), 502);
  });

  it("is cut off if the body does not end", async (t) => {
    const proxy = await startLiteralProxy({ target: UNREACHABLE, lingerMs: 100 });
    t.after(() => proxy.close());
    const { socket } = await refusedCaller(t, proxy.port);
    const sending = setInterval(() => socket.write(chunk), 20);
    t.after(() => clearInterval(sending));
    await until(() => socket.destroyed);
  });
});
