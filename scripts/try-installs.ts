/**
 * `npm run try:installs`: tries each way to install, one after the other in empty folders, from nothing to the first proxied call,
 * and prints a table of the times. Makes the package first.
 *
 *     npm run try:installs -- [--only compose] [--database URL] [--podman "podman --root /srv/images"] [--docker docker]
 *       [--build-option=--network=host]... [--run-option=--read-only]... [--systemd-image NAME]
 *
 * `--database`: a PostgreSQL server on which databases may be created. `--systemd-image`: boots systemd, and has Node.js and npm.
 * A way that needs what is not there is named with what is missing. Exits with 1 if one fails.
 */
import { execFile } from "node:child_process";
import { chmod, mkdtemp, readdir, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import { startSandbox } from "../sandbox/sandbox.ts";
import { runTimed } from "./timed-step.ts";
import { sendFirstCall } from "./try-installs/first-call.ts";
import { WAYS, writeCatalogs, type Tools, type Way } from "./try-installs/ways.ts";

const ROOT = join(import.meta.dirname, "..");
const { values } = parseArgs({
  options: {
    only: { type: "string" },
    database: { type: "string" },
    podman: { type: "string", default: "podman" },
    docker: { type: "string", default: "docker" },
    "build-option": { type: "string", multiple: true, default: [] },
    "run-option": { type: "string", multiple: true, default: [] },
    "systemd-image": { type: "string" },
  },
});

console.log(`load ${loadavg()[0]?.toFixed(2)}`);
await runTimed("make the package", () => promisify(execFile)("npm", ["run", "package"], { cwd: ROOT }));
const made = (await readdir(join(ROOT, "dist"))).find((name) => name.endsWith(".tgz")) ?? "";
const tools: Tools = {
  root: ROOT,
  archive: join(ROOT, "dist", made),
  database: values.database,
  podman: values.podman,
  docker: values.docker,
  buildOptions: values["build-option"],
  runOptions: values["run-option"],
  systemdImage: values["systemd-image"],
};
const rows: string[] = [];
let failed = 0;
for (const way of WAYS.filter(({ name }) => name.includes(values.only ?? ""))) {
  console.log(way.name);
  const lack = await way.missing?.(tools);
  rows.push(`| ${way.name} | ${lack ? `not tried: ${lack} | | |` : await tryWay(way)} |`);
}
console.log(
  ["| | Install | Start | First proxied call | In all |", "|---|---|---|---|---|", ...rows].join("\n"),
);
process.exit(failed === 0 ? 0 : 1);

/** Returns the cells of its row. */
async function tryWay(way: Way): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "busbar-install-"));
  // Containers read files in it as another user.
  await chmod(folder, 0o755);
  const sandbox = await startSandbox({ port: 0, host: "0.0.0.0" });
  const seconds: number[] = [];
  const step = async <T>(what: string, act: () => Promise<T>): Promise<T> => {
    const startedMs = performance.now();
    const result = await runTimed(`  ${what}`, act);
    seconds.push((performance.now() - startedMs) / 1_000);
    return result;
  };
  try {
    await writeCatalogs(folder, sandbox.catalog());
    await step("install", () => way.install(folder, tools));
    const started = await step("start", () => way.start(folder, tools));
    try {
      await step("first proxied call", () => sendFirstCall(started.address, sandbox));
    } finally {
      await started.stop();
    }
    const sum = seconds.reduce((total, one) => total + one, 0);
    return [...seconds, sum].map((one) => `${one.toFixed(1)} s`).join(" | ");
  } catch (error) {
    failed += 1;
    console.error(error);
    return "failed | | |";
  } finally {
    await sandbox.close();
    await rm(folder, { recursive: true, force: true });
  }
}
