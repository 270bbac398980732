/**
 * `npm run try:package [-- --node PATH] [--made]`: makes the package unless it is made, installs it into an empty folder without install scripts, and
 * uses it: pages, a written record, a proxied call, a clean stop. Prints how long each step took.
 */
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs, promisify } from "node:util";
import { startSandbox } from "../sandbox/sandbox.ts";
import { openClient } from "../tests/harness/client.ts";
import { connectCustomer } from "../tests/harness/connect-customer.ts";
import { runTimed } from "./timed-step.ts";
import { startInstalled } from "./try-installs/installed-busbar.ts";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "..");
const { values } = parseArgs({
  options: { node: { type: "string", default: process.execPath }, made: { type: "boolean" } },
});
const PATH = `${dirname(values.node)}:${process.env["PATH"]}`;

const folder = await mkdtemp(join(tmpdir(), "busbar-package-"));
try {
  await tryPackage();
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function tryPackage(): Promise<void> {
  console.log(`node ${(await run(values.node, ["--version"])).stdout.trim()}`);
  if (!values.made)
    await runTimed("make the package", () => run(process.execPath, ["scripts/package.ts"], { cwd: ROOT }));
  const dist = join(ROOT, "dist");
  const archive = (await readdir(dist)).find((name) => name.endsWith(".tgz")) ?? "";
  await runTimed("install it", () => runNpm(["install", "--ignore-scripts", join(dist, archive)]));
  const { version } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
  const shown = await runTimed("npx busbar --version", () => runInFolder("npx", ["busbar", "--version"]));
  require(shown.stdout.includes(version), `--version printed ${shown.stdout}`);

  const sandbox = await startSandbox({ port: 0 });
  await writeFile(join(folder, "catalog.json"), JSON.stringify(sandbox.catalog()));
  const command = [join(folder, "node_modules/.bin/busbar"), "start"];
  const busbar = await runTimed("busbar start", () => startInstalled(folder, command, { PATH }));
  try {
    const { bootstrap } = busbar;
    const client = openClient({ ...bootstrap, urls: () => bootstrap.urls });
    const customer = await runTimed("connect and install a customer", () =>
      connectCustomer({ ...client, sandbox }, { provider: "hubspot", objects: ["companies"] }),
    );
    await runTimed("write a record", () =>
      customer.succeed("companies", { type: "create", record: { name: "Northwind" } }),
    );
    const { status } = await runTimed("call the proxy", () => customer.proxied("/crm/v3/objects/companies"));
    require(status === 200, `the proxy answered ${status}`);
    const { origin } = new URL(bootstrap.urls.base);
    for (const path of ["/", "/docs", "/openapi.json", "/readyz"]) {
      const answer = await fetch(`${origin}${path}`, { headers: { accept: "text/html" } });
      require(answer.status === 200, `${path} answered ${answer.status}`);
      if (path === "/") require((await answer.text()).includes("/assets/"), "the dashboard is missing");
    }
  } finally {
    const { code, output } = await runTimed("stop", busbar.stop);
    require(code === 0, `busbar exited with ${code}: ${output.slice(-2_000)}`);
    await sandbox.close();
  }
}

async function runNpm(args: string[]): Promise<void> {
  await runInFolder("npm", ["init", "--yes"]);
  const { stdout } = await runInFolder("npm", args);
  console.log(stdout.trim().split("\n").at(-1));
}

function runInFolder(program: string, args: string[]): Promise<{ stdout: string }> {
  return run(program, args, { cwd: folder, env: { ...process.env, PATH } });
}

function require(isTrue: boolean, otherwise: string): void {
  if (!isTrue) throw new Error(otherwise);
}
