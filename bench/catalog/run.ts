/**
 * What the catalog costs: starts Busbar as it is and with a catalog of twice as many providers and descriptions, in turns, and
 * compares CPU time of the start and memory at rest.
 *
 *     node bench/catalog/run.ts [--rounds 5]
 */
import { spawn } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { generateConnectors } from "../../scripts/generate-connectors.ts";
import { createLog } from "../../ground/log.ts";
import { startEmbeddedPostgres } from "../../server/postgres/start-embedded-postgres.ts";
import { readProcessorMs } from "../processor-time.ts";

const ROOT = join(import.meta.dirname, "../..");
/** What a start needs besides the packages; the dashboard is built already or left out. */
const NEEDED = [
  "cli",
  "connector-kit",
  "connectors",
  "dashboard",
  "destination-kit",
  "destinations",
  "ground",
  "manifest",
  "docs",
  "migrations",
  "sandbox",
  "demo",
  "server",
  "package.json",
  "package-lock.json",
];
const REST_MS = 10_000;

interface Start {
  cpuMs: number;
  restMiB: number;
  providers: number;
}

/** Copies what a start needs, with a compile cache of its own. */
async function copyTo(folder: string): Promise<void> {
  for (const name of NEEDED) await cp(join(ROOT, name), join(folder, name), { recursive: true });
  const packages = join(folder, "node_modules");
  await mkdir(packages);
  for (const name of await readdir(join(ROOT, "node_modules")))
    if (name !== ".cache") await symlink(join(ROOT, "node_modules", name), join(packages, name));
}

/** Gives every provider a twin, with modules of its own. */
async function measureDouble(folder: string): Promise<void> {
  const connectors = join(folder, "connectors");
  for (const entry of await readdir(connectors, { withFileTypes: true }))
    if (entry.isDirectory() && entry.name !== "table")
      await cp(join(connectors, entry.name), join(connectors, `${entry.name}Twin`), { recursive: true });
  const table = join(connectors, "table");
  const lines: string[] = [];
  for (const file of await readdir(table)) {
    await cp(join(table, file), join(table, file.replace(".ts", "-twin.ts")));
    const [, name = ""] = /export const (\w+)/.exec(await readFile(join(table, file), "utf8")) ?? [];
    lines.push(`import { ${name} as ${name}Twin } from "./table/${file.replace(".ts", "-twin.ts")}";`);
    lines.push(
      `for (const [key, facts] of Object.entries(${name}Twin)) PROVIDER_TABLE[key + "Twin"] ??= facts;`,
    );
  }
  const index = join(connectors, "provider-table.ts");
  await writeFile(index, [await readFile(index, "utf8"), ...lines].join("\n"));
  for (const [file, text] of Object.entries(generateConnectors(connectors)))
    await writeFile(join(connectors, file), text);
}

/** Starts Busbar, waits until it is ready and then at rest, and stops it. */
async function startOnce(folder: string, connectionString: string): Promise<Start> {
  const dataDir = await mkdtemp(join(tmpdir(), "busbar-catalog-data-"));
  const child = spawn(process.execPath, [join(folder, "server/busbar.mjs"), "start"], {
    env: {
      PATH: process.env["PATH"] ?? "",
      DATABASE_URL: connectionString,
      BUSBAR_DATA_DIR: dataDir,
      BUSBAR_PORT: "0",
      BUSBAR_PROXY_PORT: "0",
      BUSBAR_ENCRYPTION_KEYS: `bench:${Buffer.alloc(32, 1).toString("base64")}`,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  const ready = new Promise<void>((resolve, reject) => {
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes("Busbar is ready")) resolve();
    });
    child.once("exit", () => reject(new Error(`Busbar ended: ${output}`)));
  });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  try {
    await ready;
    const cpuMs = readProcessorMs(child.pid);
    await new Promise((resolve) => setTimeout(resolve, REST_MS));
    const [, kib = "0"] = /VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${child.pid}/status`, "utf8")) ?? [];
    const [, base = ""] = /"base":"([^"]+)"/.exec(output) ?? [];
    const providers = Object.keys((await (await fetch(`${base}/providers`)).json()) as object).length;
    return { cpuMs, restMiB: Number(kib) / 1024, providers };
  } finally {
    child.kill("SIGTERM");
    await exited;
    await rm(dataDir, { recursive: true, force: true });
  }
}

const computeMedian = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

const { values } = parseArgs({ options: { rounds: { type: "string" } } });
const rounds = Number(values.rounds ?? 5);
const work = await mkdtemp(join(tmpdir(), "busbar-catalog-"));
const postgres = await startEmbeddedPostgres({ dataDir: join(work, "database"), log: createLog("error") });
try {
  const [one, two] = ["once", "twice"].map((name) => join(work, name));
  if (one === undefined || two === undefined) throw new Error("no folders");
  for (const folder of [one, two]) await copyTo(folder);
  await measureDouble(two);
  const starts = new Map<string, Start[]>([one, two].map((folder) => [folder, []]));
  // The first start of each fills its compile cache.
  for (let round = 0; round <= rounds; round += 1)
    for (const [folder, list] of starts) {
      const start = await startOnce(folder, postgres.connectionString);
      if (round > 0) list.push(start);
    }
  const [once = [], twice = []] = [...starts.values()];
  const of = (list: Start[], member: keyof Start) => computeMedian(list.map((start) => start[member]));
  console.table(
    (["providers", "cpuMs", "restMiB"] as const).map((member) => ({
      member,
      once: of(once, member),
      twice: of(twice, member),
      growth: `${((of(twice, member) / of(once, member) - 1) * 100).toFixed(1)} %`,
    })),
  );
} finally {
  await postgres.stop();
  await rm(work, { recursive: true, force: true });
}
