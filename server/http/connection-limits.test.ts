/** Guards that callers cannot hold more connections, or hold one for longer, than the listener allows. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { createLog } from "../../ground/log.ts";
import { createServer } from "./server.ts";

const server = (maxConnections: number) =>
  createServer({
    routes: [],
    authorize: async () => ({ caller: { kind: "nobody", scopes: [] } }),
    confine: async ({ inputs }) => inputs,
    log: createLog("silent"),
    surfaceHosts: {},
    docsUrl: () => "http://docs.test",
    maxConnections,
  });

test("connections beyond the maximum are closed at once, and the others are served", async (t) => {
  const app = server(2);
  const { port } = new URL(await app.listen({ host: "127.0.0.1", port: 0 }));
  const sockets: Socket[] = [];
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    return app.close();
  });
  const open = async (): Promise<Socket> => {
    const socket = connect(Number(port), "127.0.0.1");
    sockets.push(socket);
    socket.setTimeout(60_000, () => socket.destroy(new Error("no answer")));
    await once(socket, "connect");
    return socket;
  };
  const first = await open();
  await open();
  const third = await open();
  third.on("error", () => {}).resume();
  await once(third, "close");
  first.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  const [chunk] = await once(first, "data");
  assert.match(String(chunk), /^HTTP\/1\.1 404 /);
});

test("headers, requests, idle connections and silent ones all have a time limit", (t) => {
  const app = server(2);
  t.after(() => app.close());
  const { headersTimeout, requestTimeout, keepAliveTimeout, timeout } = app.server;
  assert.deepEqual(
    { headersTimeout, requestTimeout, keepAliveTimeout, timeout },
    { headersTimeout: 20_000, requestTimeout: 300_000, keepAliveTimeout: 75_000, timeout: 600_000 },
  );
});
