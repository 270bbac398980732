/** The Python client, built as it is published, against a whole Busbar. Its tests are in clients/python/tests. */
import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { globSync } from "node:fs";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { Webhook } from "standardwebhooks";
import { openTestBusbar, startTestBusbar, type TestBusbar } from "../harness/busbar.ts";
import { connectCustomer } from "../harness/connect-customer.ts";
import { readGuideParts, withAddresses } from "../harness/guide-programs.ts";
import { checkFastapiQuickstart, runFastapiExample } from "./example-fastapi.ts";

const run = promisify(execFile);
const CLIENTS = join(import.meta.dirname, "../../clients");
/** What the client and its tests import, and the build. The packages are the system's: Debian's where .ci/run installs them. */
const NEEDS =
  "import setuptools, wheel, pip, venv, httpx, cryptography, sys; assert sys.version_info >= (3, 11)";
const PYTHON = ["/usr/bin/python3", "python3"].find((each) => canImport(each, NEEDS));
const skip = PYTHON === undefined && "no Python 3.11 with pip, httpx, cryptography, setuptools and wheel";

function canImport(command: string, program: string): boolean {
  try {
    execFileSync(command, ["-c", program], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

let scratch: string;
let python: string;
let made: string[];
let busbar: TestBusbar;
let env: NodeJS.ProcessEnv;

before(async () => {
  if (!PYTHON) return;
  scratch = await mkdtemp(join(tmpdir(), "busbar-python-"));
  const folder = join(scratch, "clients/python");
  await cp(join(CLIENTS, "python"), folder, { recursive: true });
  await cp(join(CLIENTS, "../openapi.json"), join(scratch, "openapi.json"));
  await run(PYTHON, ["generate.py"], { cwd: folder });
  // With the system's pip: a copy of it takes most of the time.
  await run(PYTHON, ["-m", "venv", "--system-site-packages", "--without-pip", join(scratch, "venv")]);
  python = join(scratch, "venv/bin/python");
  await run(python, ["package.py", "dist"], { cwd: folder });
  made = await readdir(join(folder, "dist"));
  const file = made.find((name) => name.endsWith(".whl")) ?? "";
  await run(python, ["-m", "pip", "install", "--quiet", "--no-index", join(folder, "dist", file)]);
  // So that what is imported is what was installed.
  await rm(join(folder, "src"), { recursive: true });
  busbar = await openTestBusbar();
  await connectCustomer(busbar, { provider: "hubspot", objects: ["contact"] });
  const url = new URL(busbar.server.urls.base).origin;
  const SIGNED_MESSAGES = JSON.stringify(signMessages());
  env = { ...process.env, BUSBAR_URL: url, BUSBAR_API_KEY: busbar.apiKey, SIGNED_MESSAGES };
});
after(async () => {
  await busbar?.stop();
  if (scratch) await rm(scratch, { recursive: true, force: true });
});

/** Returns messages that the published signer signed, now and ten minutes ago. */
function signMessages() {
  const [secret, otherSecret] = [1, 2].map((fill) => `whsec_${Buffer.alloc(24, fill).toString("base64")}`);
  const body = JSON.stringify({ action: "read", objectName: "contact", result: [{ name: "Ærø" }] });
  const sign = (time: Date) => ({
    body,
    headers: {
      "webhook-id": "m1",
      "webhook-timestamp": String(Math.floor(time.getTime() / 1_000)),
      "webhook-signature": new Webhook(secret ?? "").sign("m1", time, body),
    },
  });
  return { secret, otherSecret, fresh: sign(new Date()), old: sign(new Date(Date.now() - 600_000)) };
}

/** Writes the README's blocks of Python as one program. */
async function writeReadmeProgram(): Promise<string> {
  const text = await readFile(join(CLIENTS, "python/README.md"), "utf8");
  const file = join(scratch, "readme.py");
  const blocks = [...text.matchAll(/```python\n(.*?)```/gs)].map(([, block = ""]) => block);
  await writeFile(file, blocks.join("\n"));
  return file;
}

test("the wheel passes the licence on", { skip }, async () => {
  const [file = ""] = globSync("venv/lib/*/site-packages/busbar_client-*.dist-info/**/LICENSE", {
    cwd: scratch,
  });
  assert.equal(
    await readFile(join(scratch, file), "utf8"),
    await readFile(join(CLIENTS, "../LICENSE"), "utf8"),
  );
});

test(
  "sources and wheel have the names that PyPI takes, and the same bytes on another day",
  { skip },
  async () => {
    const folder = join(scratch, "again/clients/python");
    await cp(join(CLIENTS, "python"), folder, { recursive: true });
    await cp(join(CLIENTS, "../openapi.json"), join(scratch, "again/openapi.json"));
    await run(python, ["generate.py"], { cwd: folder });
    await run(python, ["package.py", "dist"], { cwd: folder });
    // PEP 625, "Specification"; PEP 427, "File name convention".
    const [sources = "", wheel = ""] = made.toSorted().toReversed();
    assert.match(sources, /^busbar_client-[\w.]+\.tar\.gz$/);
    assert.equal(wheel, sources.replace(".tar.gz", "-py3-none-any.whl"));
    for (const name of [sources, wheel]) {
      const [first, second] = await Promise.all(
        [join(scratch, "clients/python"), folder].map((from) => readFile(join(from, "dist", name))),
      );
      assert.ok(second && first?.equals(second), name);
    }
  },
);

test("the README's program writes, reads a refusal and lists, synchronously and not", { skip }, async () => {
  const { stdout } = await run(python, [await writeReadmeProgram()], { env });
  assert.match(stdout, /'success': True/);
  assert.match(stdout, /^404 /m);
  assert.match(stdout, /^[0-9a-f-]{36} success$/m);
  assert.match(stdout, /^operations: 1$/m);
});

/** Fails where a request that is sent without the client is refused. */
const REFUSALS_FAIL = `import httpx


def good(send):
    def call(*args, **named):
        response = send(*args, **named)
        assert response.is_success, response.text
        return response

    return call


httpx.get, httpx.post = good(httpx.get), good(httpx.post)
`;

test("the guide's calls in Python do what their pages say", { skip }, async (t) => {
  const fresh = await startTestBusbar(t);
  fresh.sandbox.hubspot.setLimits("off");
  const parts = await readGuideParts("python");
  const program = [REFUSALS_FAIL, ...parts.map(({ page, text }) => `${text}\nprint("The end of ${page}")`)];
  const file = join(scratch, "guide.py");
  await writeFile(file, withAddresses(program.join("\n"), fresh));
  const own = {
    ...env,
    BUSBAR_URL: new URL(fresh.server.urls.base).origin,
    BUSBAR_API_KEY: fresh.apiKey,
    PROJECT: fresh.projectId,
  };
  const { stdout } = await run(python, [file], { cwd: join(CLIENTS, ".."), env: own });
  assert.match(stdout, /^The end of operating$/m);
  const emails = [...fresh.sandbox.hubspot.account.dump("contacts", false)].map(
    ({ values }) => (values as Record<string, string>)["email"],
  );
  assert.ok(emails.includes("ada@lovelace.example"));
});

test(
  "both forms of the client have the methods of the guide's table and no other operations",
  { skip },
  async () => {
    const guide = await readFile(join(CLIENTS, "../docs/guide/clients.md"), "utf8");
    const named = [...guide.matchAll(/^\| `\w+ \S+` \| `\w+` \| `(\w+)` \|/gm)].map(([, name]) => name);
    assert.ok(named.length > 100);
    for (const kind of ["Operations", "AsyncOperations"]) {
      const program = `from busbar_client.operations import ${kind}; print(*(n for n in vars(${kind}) if n[0] != "_"))`;
      const { stdout } = await run(python, ["-c", program]);
      assert.deepEqual(stdout.trim().split(" ").toSorted(), named.toSorted());
    }
  },
);

test("the client repeats, pages, verifies and signs as its tests say", { skip }, async () => {
  const tests = join(scratch, "clients/python/tests");
  const { stderr } = await run(python, ["-m", "unittest", "discover", "-s", tests], { env });
  assert.match(stderr, /^OK$/m);
});

const lacksFastapi = !PYTHON || !canImport(PYTHON, "import fastapi, uvicorn, psycopg");
test(
  "the example application for FastAPI connects, keeps a copy and writes back",
  { skip: lacksFastapi && "no FastAPI, uvicorn and psycopg" },
  (t) => runFastapiExample(t, python),
);

test("the quickstart for FastAPI shows the example's code", checkFastapiQuickstart);
