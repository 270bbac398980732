/** The messages and exit codes of commands when an answer is missing, lost, or does not come from a Busbar. */
import assert from "node:assert/strict";
import { createServer, type IncomingHttpHeaders, type RequestListener } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { test, type TestContext } from "node:test";
import { runCli } from "../../tests/harness/command-line.ts";
import { SELF_SIGNED } from "../../tests/harness/self-signed.ts";

const KEY = "bb_never-shown";
const busbar = (args: string[]) => runCli(args, { env: { BUSBAR_API_KEY: KEY } });

async function serve(t: TestContext, handle: RequestListener): Promise<string> {
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  t.after(() => void server.close());
  return `http://127.0.0.1:${port}`;
}

test("the exit code is 3 if the server is unreachable and 2 for wrong arguments, and no message shows the key", async () => {
  const away = await busbar(["list", "projects", "--url", "http://127.0.0.1:1"]);
  assert.deepEqual([away.code, away.stdout], [3, ""]);
  assert.match(away.stderr, /Cannot reach http:\/\/127\.0\.0\.1:1: connection refused/);
  assert.equal((await busbar(["list"])).code, 2);
  assert.equal((await busbar(["lst"])).code, 2);
  assert.equal((await busbar(["--help"])).code, 0);
  assert.ok(!away.stderr.includes(KEY));
});

test("a certificate of an unknown authority is refused, and the message names the variable for an authority of one's own", async (t) => {
  const server = createHttpsServer(SELF_SIGNED, (_request, response) => response.end());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const { code, stderr } = await busbar(["list", "projects", "--url", `https://127.0.0.1:${port}`]);
  assert.equal(code, 3);
  assert.match(stderr, /self.signed certificate.*\n.*NODE_EXTRA_CA_CERTS/);
});

test("an https address at a port that speaks http is refused with the address to use", async (t) => {
  const url = await serve(t, (_request, response) => void response.end());
  const { code, stderr } = await busbar(["list", "projects", "--url", url.replace("http:", "https:")]);
  assert.equal(code, 3);
  assert.match(stderr, /Cannot reach \S+: this port speaks http, not https\.\n.*http:\/\/127/);
});

test("if the answer to a write is lost, the message says that its outcome is unknown", async (t) => {
  const url = await serve(t, (request) => {
    request.resume().on("end", () => request.socket.destroy());
  });
  const write = "write crm contacts --group acme --set a=b --project default --url".split(" ");
  const lost = await busbar([...write, url]);
  assert.equal(lost.code, 3);
  assert.match(lost.stderr, /It is unknown whether the request was executed\.\n.*--idempotency-key/);
  const read = await busbar(["list", "projects", "--url", url]);
  assert.match(read.stderr, /Cannot reach /);
});

test("an answer that is not a Busbar's is reported as such, and a redirect is not followed with the key", async (t) => {
  const seen: IncomingHttpHeaders[] = [];
  const url = await serve(t, (request, response) => {
    seen.push(request.headers);
    if (request.url === "/v1/projects") response.writeHead(302, { location: "/elsewhere" }).end();
    else response.end("<html>");
  });
  const redirected = await busbar(["list", "projects", "--url", url]);
  assert.equal(redirected.code, 1);
  assert.match(redirected.stderr, /HTTP 302 .*elsewhere/);
  assert.match(
    (await busbar(["list", "integrations", "--project", "default", "--url", url])).stderr,
    /not the expected one/,
  );
  assert.equal(seen.length, 2);
});

test("the address of the proxy or of another program is reported as wrong", async (t) => {
  const url = await serve(t, (request, response) => {
    if (request.url === "/v1/projects") response.setHeader("x-amp-error", "true");
    response.writeHead(404, { "content-type": "application/json" }).end('{"message": "no such page"}');
  });
  assert.match(
    (await busbar(["list", "projects", "--url", url])).stderr,
    /is the proxy of a Busbar.*\n.*4000/,
  );
  const other = await busbar(["list", "integrations", "--project", "default", "--url", url]);
  assert.match(other.stderr, /answered HTTP 404 without a reason.*\n.*address is that of a Busbar/);
});
