/**
 * `npm run release [-- --out DIR] [--repository https://github.com/OWNER/NAME]`: makes everything that a release consists of, in
 * `dist/release/`, and publishes nothing. The same commit makes the same bytes, so that somebody else can compare checksums.
 * `npm run release -- --set-version 1.0.0-rc.2` writes a version wherever one is written, and makes nothing.
 *
 * What this machine lacks the program for is left out and named; `--complete` makes that an error.
 */
import { execFile } from "node:child_process";
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { existsSync, globSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative, resolve } from "node:path";
import { parseArgs, promisify } from "node:util";
import { getCallersFolder } from "../ground/config.ts";
import {
  buildBillOfMaterials,
  renderChecksums,
  writeHomebrewFormula,
  writeImageDefinition,
  listInstalled,
  publishScript,
  releaseNotes,
  digestSha256,
  type Archive,
} from "./release/documents.ts";
import { listVersions, writeVersion } from "./release/versions.ts";

const ROOT = join(import.meta.dirname, "..");
const { values } = parseArgs({
  options: {
    out: { type: "string", default: join(ROOT, "dist/release") },
    repository: { type: "string" },
    "set-version": { type: "string" },
    complete: { type: "boolean", default: false },
  },
});
const OUT = resolve(getCallersFolder() ?? ".", values.out);
const CLIENT = "clients/typescript";
/** Dates in archives are the commit's; programs that make archives know this variable. */
process.env["SOURCE_DATE_EPOCH"] ??= (await run("git", ["log", "-1", "--format=%ct"])).trim();
const time = new Date(Number(process.env["SOURCE_DATE_EPOCH"]) * 1_000);
const leftOut: string[] = [];

if (values["set-version"] === undefined) await makeRelease();
else
  for (const { file, text } of writeVersion(values["set-version"])) await writeFile(join(ROOT, file), text);

async function makeRelease(): Promise<void> {
  const { version } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
  const wrong = listVersions(version).filter(({ found, right }) => found.some((one) => one !== right));
  if (wrong.length > 0) throw new Error(`not ${version}: ${wrong.map(({ file }) => file).join(", ")}`);
  const notes = releaseNotes(await readFile(join(ROOT, "CHANGELOG.md"), "utf8"), version);
  await rm(OUT, { recursive: true, force: true });
  await mkdir(OUT, { recursive: true });
  const scratch = await mkdtemp(join(tmpdir(), "busbar-release-"));
  try {
    begin("the server's package");
    const server = await packServer(scratch);
    const archives = [server];
    for (const folder of listClients()) {
      begin(`the package of ${folder}`);
      archives.push(await packClient(folder, scratch));
    }
    begin("the Python client's wheel and sources");
    await buildPythonClient(scratch);
    begin("the command line");
    await run(process.execPath, ["scripts/build-cli.ts", join(scratch, "cli")]);
    await cp(join(scratch, "cli/busbar.cjs"), join(OUT, "busbar.cjs"));
    await cp(join(scratch, "cli/LICENSES.txt"), join(OUT, "busbar.cjs.LICENSES.txt"));
    const containerfile = await readFile(join(ROOT, "deploy/Containerfile"), "utf8");
    await write("Containerfile", writeImageDefinition(containerfile, server, values.repository));
    await write("busbar.rb", writeHomebrewFormula(server, values.repository));
    await write("RELEASE_NOTES.md", notes);
    await write("publish.sh", publishScript(archives));
    await chmod(join(OUT, "publish.sh"), 0o755);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  begin("the image");
  await buildImage(version);
  const names = (await readdir(OUT)).filter((name) => name !== "publish.sh");
  const files = await Promise.all(
    names.map(async (name) => [name, await readFile(join(OUT, name))] as const),
  );
  await write("SHA256SUMS", renderChecksums(Object.fromEntries(files)));
  console.log(
    `${relative(process.cwd(), OUT) || "."}: ${[...names, "publish.sh", "SHA256SUMS"].toSorted().join(", ")}`,
  );
  for (const what of leftOut) console.log(`left out: ${what}`);
  if (leftOut.length > 0 && values.complete) process.exitCode = 1;
}

/** Returns the packages of builders that npm installs: every folder of `clients/` that has a public `package.json`. */
function listClients(): string[] {
  const folders = globSync("clients/*/package.json", { cwd: ROOT }).map(dirname);
  // The first is what the others are built with.
  return folders.toSorted((one, other) => Number(other === CLIENT) - Number(one === CLIENT));
}

async function packServer(scratch: string): Promise<Archive> {
  const folder = join(scratch, "server");
  await run(process.execPath, ["scripts/package.ts", "--out", folder]);
  const shrinkwrap = await readFile(join(folder, "package/npm-shrinkwrap.json"), "utf8");
  const bundled = JSON.parse(await readFile(join(folder, "contents.json"), "utf8")) as string[];
  const contents = [...bundled, ...listInstalled(shrinkwrap)];
  return addArchive(join(folder, "package"), { lock: ROOT, contents });
}

/** Builds it, and packs what its `files` list names with the licence, as a package without scripts. */
async function packClient(path: string, scratch: string): Promise<Archive> {
  const folder = join(ROOT, path);
  const isOnItsOwn = existsSync(join(folder, "package-lock.json"));
  if (isOnItsOwn && !existsSync(join(folder, "node_modules"))) await run("npm", ["ci"], folder);
  await run("npm", ["run", "build"], folder);
  const listed = await run("npm", ["pack", "--dry-run", "--ignore-scripts", "--json"], folder);
  const [{ files }] = JSON.parse(listed) as [{ files: { path: string }[] }];
  const stage = join(scratch, path);
  for (const file of files) await cp(join(folder, file.path), join(stage, file.path));
  await cp(join(ROOT, "LICENSE"), join(stage, "LICENSE"));
  const manifest = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  delete manifest.scripts;
  delete manifest.devDependencies;
  await writeFile(join(stage, "package.json"), JSON.stringify(manifest));
  if (!isOnItsOwn) return addArchive(stage);
  const contents = listInstalled(await readFile(join(folder, "package-lock.json"), "utf8"));
  return addArchive(stage, { lock: folder, contents });
}

interface Brought {
  /** The folder whose lock file names the packages. */
  lock: string;
  /** Those that are inside or are installed with it, as `name@version`. */
  contents: string[];
}

/** Packs a folder into the release, with a bill of materials of what it brings along. */
async function addArchive(stage: string, brought?: Brought): Promise<Archive> {
  const file = join(stage, "package.json");
  const manifest = JSON.parse(await readFile(file, "utf8"));
  // npm compares it with the repository whose workflow publishes the package.
  if (values.repository) manifest.repository = { type: "git", url: `git+${values.repository}.git` };
  await writeFile(file, `${JSON.stringify(manifest, null, 2)}\n`);
  const packed = JSON.parse(await run("npm", ["pack", stage, "--json", "--pack-destination", OUT], OUT));
  const name = basename(packed[0].filename);
  if (brought) {
    const listed = await run(
      "npm",
      ["sbom", "--package-lock-only", "--sbom-format", "cyclonedx"],
      brought.lock,
    );
    const bom = buildBillOfMaterials(listed, manifest.name, brought.contents, time);
    await write(`${basename(name, ".tgz")}.cdx.json`, bom);
  }
  const bytes = await readFile(join(OUT, name));
  return { name: manifest.name, version: manifest.version, file: name, sha256: digestSha256(bytes) };
}

async function buildPythonClient(scratch: string): Promise<void> {
  const folder = join(scratch, "clients/python");
  await cp(join(ROOT, "clients/python"), folder, { recursive: true });
  await cp(join(ROOT, "openapi.json"), join(scratch, "openapi.json"));
  for (const python of ["/usr/bin/python3", "python3"]) {
    const usable = await run(python, ["-c", "import setuptools, wheel, tomllib"]).catch(() => undefined);
    if (usable === undefined) continue;
    await run(python, ["generate.py"], folder);
    return void (await run(python, ["package.py", OUT], folder));
  }
  leftOut.push("the Python client: needs Python 3.11 with setuptools and wheel");
}

/** Tries the definition where an engine answers. The image stays on this machine. */
async function buildImage(version: string): Promise<void> {
  for (const engine of ["docker", "podman"]) {
    const answers = await run(engine, ["info"]).catch(() => undefined);
    if (answers === undefined) continue;
    return void (await run(engine, ["build", "-f", "Containerfile", "-t", `busbar:${version}`, "."], OUT));
  }
  leftOut.push(
    `the image busbar:${version}: no engine (docker, podman) answers here; Containerfile is its definition`,
  );
}

/** Says what is made now: some of it takes a minute. */
function begin(what: string): void {
  process.stderr.write(`${what} …\n`);
}

function write(name: string, text: string): Promise<void> {
  return writeFile(join(OUT, name), text);
}

/** Returns what a program printed. Throws an error with all of it if it fails. */
async function run(program: string, args: string[], cwd = ROOT): Promise<string> {
  const options = { cwd, maxBuffer: 64 * 1024 * 1024 };
  const done = promisify(execFile)(program, args, options);
  return done.then(
    ({ stdout }) => stdout,
    (error: Error & { stdout?: string; stderr?: string }) => {
      throw new Error(`${program} ${args.join(" ")}:\n${error.stdout}${error.stderr}`, { cause: error });
    },
  );
}
