/** What a command says when the answer is missing, lost, or not that of a Busbar. */
import assert from "node:assert/strict";
import { createServer, type IncomingHttpHeaders, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { runCli } from "../../tests/harness/command-line.ts";

const KEY = "bb_never-shown";
const busbar = (args: string[]) => runCli(args, { env: { BUSBAR_API_KEY: KEY } });

async function serve(handle: RequestListener): Promise<{ url: string; close(): void }> {
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => void server.close() };
}

test("a server that is away is exit code 3, a wrong use 2, and neither shows the key", async () => {
  const away = await busbar(["list", "projects", "--url", "http://127.0.0.1:1"]);
  assert.deepEqual([away.code, away.stdout], [3, ""]);
  assert.match(away.stderr, /Cannot reach http:\/\/127\.0\.0\.1:1: connection refused/);
  assert.equal((await busbar(["list"])).code, 2);
  assert.equal((await busbar(["lst"])).code, 2);
  assert.equal((await busbar(["--help"])).code, 0);
  assert.ok(!away.stderr.includes(KEY));
});

test("a write whose answer was lost is not called a failure: it may have happened", async () => {
  const { url, close } = await serve((request) => {
    request.resume().on("end", () => request.socket.destroy());
  });
  const write = "write crm contacts --group acme --set a=b --project default --url".split(" ");
  const lost = await busbar([...write, url]);
  assert.equal(lost.code, 3);
  assert.match(lost.stderr, /It is unknown whether the request was executed\.\n.*--idempotency-key/);
  const read = await busbar(["list", "projects", "--url", url]);
  assert.match(read.stderr, /Cannot reach /);
  close();
});

test("what answers but is no Busbar is told so, and a redirect takes no key along", async () => {
  const seen: IncomingHttpHeaders[] = [];
  const { url, close } = await serve((request, response) => {
    seen.push(request.headers);
    if (request.url === "/v1/projects") response.writeHead(302, { location: "/elsewhere" }).end();
    else response.end("<html>");
  });
  const redirected = await busbar(["list", "projects", "--url", url]);
  assert.equal(redirected.code, 1);
  assert.match(redirected.stderr, /HTTP 302 .*elsewhere/);
  assert.match((await busbar(["list", "providers", "--url", url])).stderr, /not the expected one/);
  assert.equal(seen.length, 2);
  close();
});

test("the proxy's address, or that of another program, is told to be the wrong one", async () => {
  const { url, close } = await serve((request, response) => {
    if (request.url === "/v1/projects") response.setHeader("x-amp-error", "true");
    response.writeHead(404, { "content-type": "application/json" }).end('{"message": "no such page"}');
  });
  assert.match(
    (await busbar(["list", "projects", "--url", url])).stderr,
    /is the proxy of a Busbar.*\n.*4000/,
  );
  const other = await busbar(["list", "providers", "--url", url]);
  assert.match(other.stderr, /answered HTTP 404 without a reason.*\n.*address is that of a Busbar/);
  close();
});
