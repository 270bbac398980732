/** Generated calls, compared byte for byte on both sides of the proxy. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { generateCall, type GeneratedCall } from "../../tests/harness/proxy/generated-calls.ts";
import { startLiteralProxy, targetAt, type LiteralProxy } from "../../tests/harness/proxy/literal-proxy.ts";
import { until } from "../../tests/harness/until.ts";
import {
  dial,
  findHeader,
  startUpstream,
  type RawUpstream,
  type WireMessage,
} from "../../tests/harness/proxy/wire.ts";

const CALLS = 480;
const CONNECTIONS = 8;

describe("generated calls", () => {
  /** The calls that the upstream is answering, by request line and a marker in the body's place. */
  const waiting = new Map<string, GeneratedCall>();
  const seen = new Map<GeneratedCall, WireMessage>();
  let upstream: RawUpstream;
  let proxy: LiteralProxy;

  before(async () => {
    upstream = await startUpstream((request, socket) => {
      const call = waiting.get(findHeader(request.lines, "x-call") ?? "");
      if (!call) return void socket.destroy();
      seen.set(call, request);
      if (!call.answer.endsConnection) return call.answer.bytes;
      socket.end(call.answer.bytes);
      return undefined;
    });
    proxy = await startLiteralProxy({ target: targetAt(upstream.origin) });
  });
  after(async () => {
    await proxy.close();
    upstream.close();
  });

  const runOn = async (first: number): Promise<void> => {
    const { socket, reader } = await dial(proxy.port);
    for (let seed = first; seed < CALLS; seed += CONNECTIONS) {
      const call = generateCall(seed);
      waiting.set(String(seed), call);
      await send(socket, withMarker(call.request, seed));
      const got = await reader.message(call.answer.hasBody ? "by-headers" : "none");
      assert.ok(got, `${call.name}: the caller got an answer`);
      checkUpstream(call, seen.get(call), seed, upstream.port);
      checkCaller(call, got);
    }
    reader.close();
  };

  it("pass unchanged in both directions, except credentials, connection headers and trailers", async () => {
    await Promise.all(Array.from({ length: CONNECTIONS }, (_, first) => runOn(first)));
    assert.equal(seen.size, CALLS);
    await until(() => proxy.uses.length >= CALLS);
    assert.equal(proxy.uses.length, CALLS);
  });
});

/** A header that tells the upstream which call this is, first in the list. */
function withMarker([first, ...rest]: Buffer[], seed: number): Buffer[] {
  const end = (first?.indexOf("\r\n") ?? -1) + 2;
  if (!first || end < 2) return withMarker([Buffer.concat([first ?? Buffer.alloc(0), ...rest])], seed);
  const marker = Buffer.from(`X-Call: ${seed}\r\n`);
  return [Buffer.concat([first.subarray(0, end), marker, first.subarray(end)]), ...rest];
}

async function send(socket: { write(bytes: Buffer): boolean }, parts: Buffer[]): Promise<void> {
  for (const part of parts) {
    socket.write(part);
    await turn();
  }
}

function checkUpstream(call: GeneratedCall, got: WireMessage | undefined, seed: number, port: number): void {
  assert.ok(got, `${call.name}: the provider got a request`);
  assert.equal(got.startLine, call.expectedTarget);
  const [host, connection, ...lines] = got.lines;
  assert.equal(host, `host: 127.0.0.1:${port}`);
  assert.match(connection ?? "", /^connection: (keep-alive|close)$/);
  assert.deepEqual(lines, [`X-Call: ${seed}`, ...call.expectedLines], call.name);
  assert.ok(got.body.equals(call.expectedBody), `${call.name}: the body arrived as it was sent`);
  assert.deepEqual(got.trailers, [], call.name);
}

function checkCaller({ name, answer }: GeneratedCall, got: WireMessage): void {
  assert.equal(got.startLine, answer.startLine, name);
  const added = got.lines.slice(answer.expectedLines.length);
  assert.deepEqual(got.lines.slice(0, answer.expectedLines.length), answer.expectedLines, name);
  const allowed = ["X-Request-Id", ...(answer.hasDate ? [] : ["Date"]), "Connection", "Keep-Alive"];
  if (answer.isChunked && answer.hasBody) allowed.push("Transfer-Encoding");
  assert.deepEqual(
    added.map((line) => line.split(":")[0]),
    allowed,
    name,
  );
  assert.ok(got.body.equals(answer.expectedBody), `${name}: the answer's body came back as it was sent`);
  assert.deepEqual(got.trailers, [], name);
}
