/** Refusals of requests whose body is still on its way. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, it } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { OURS, startLiteralProxy, targetAt } from "../../tests/harness/proxy/literal-proxy.ts";
import { statusOf } from "../../tests/harness/proxy/refused.ts";
import { dial } from "../../tests/harness/proxy/wire.ts";

const NOWHERE = targetAt("http://127.0.0.1:1");
const chunk = `10000\r\n${"x".repeat(65_536)}\r\n`;
const beginning = `POST / HTTP/1.1\r\n${OURS}\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}`;

describe("a refused request", () => {
  it("may be sent to its end, and its connection serves on", async (t) => {
    const proxy = await startLiteralProxy({ target: NOWHERE, lingerMs: 300 });
    t.after(() => proxy.close());
    const { socket, reader } = await dial(proxy.port);
    socket.write(beginning);
    assert.equal(statusOf(await reader.message()), 502);
    socket.write(`${chunk}0\r\n\r\n`);
    await wait(500);
    socket.write(`POST / HTTP/1.1\r\n${OURS}\r\nContent-Length: 2\r\n\r\nhi`);
    assert.equal(statusOf(await reader.message()), 502);
    reader.close();
  });

  it("that does not end is cut off", async (t) => {
    const proxy = await startLiteralProxy({ target: NOWHERE, lingerMs: 300 });
    t.after(() => proxy.close());
    const { socket, reader } = await dial(proxy.port);
    socket.write(beginning);
    assert.equal(statusOf(await reader.message()), 502);
    const more = setInterval(() => socket.write(chunk), 20);
    socket.on("error", () => {});
    await once(socket, "close");
    clearInterval(more);
  });
});
