/** The version of a release: where it is written, and what it means for npm, Python and containers. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");

interface VersionPlace {
  file: string;
  /** Its second group is the version; it may match several times. */
  pattern: RegExp;
  /** Default: the version as it is. */
  form?: (version: string) => string;
}

/** Version of the package itself, not of its dependencies; a lock file has it twice. */
const OWN = /((?:^\{|\n {4}"": \{)\n +"name": "[^"]+",\n +"version": ")([^"]+)(?=")/g;

/** Version of another client that a client requires. */
const PEER = /("@busbar\/[\w-]+": "\^)([^"]+)(?=")/g;

/** Version of a linked client in a lock file. */
const LINKED = /("(?:\.\.\/)+clients\/[\w-]+": \{\n +"name": "[^"]+",\n +"version": ")([^"]+)(?=")/g;

const PLACES: VersionPlace[] = [
  ...globSync("{,cli/,clients/*/}package{,-lock}.json", { cwd: ROOT }).map((file) => ({
    file,
    pattern: OWN,
  })),
  ...globSync("clients/*/package.json", { cwd: ROOT }).map((file) => ({ file, pattern: PEER })),
  ...globSync("examples/*/package-lock.json", { cwd: ROOT }).map((file) => ({ file, pattern: LINKED })),
  { file: "server/api/docs/examples.json", pattern: /("version": ")(\d+\.\d+\.\d+[^"]*)/g },
  { file: "clients/python/pyproject.toml", pattern: /(^version = ")([^"]+)(?=")/gm, form: toPythonVersion },
  { file: "deploy/Containerfile", pattern: /(-t busbar:)(\S+)/g },
  { file: "deploy/kubernetes.yaml", pattern: /(image: \S+\/busbar:)(\S+)/g },
  { file: "docs/guide/installing.md", pattern: /(busbar[-:])(\d+\.\d+\.\d+[\w.-]*?)(?=\.tgz|[ `])/g },
];

/** Returns the version as Python's packages write it: `1.0.0-rc.1` is `1.0.0rc1` (PEP 440). */
export function toPythonVersion(version: string): string {
  return version.replace(/-rc\.(\d+)$/, "rc$1");
}

/** Returns npm's tag: a candidate is installed only by those who ask for it (`npm install busbar@next`). */
export function chooseNpmTag(version: string): "latest" | "next" {
  return isCandidate(version) ? "next" : "latest";
}

/** Throws an error if the version is neither `X.Y.Z` nor a candidate, `X.Y.Z-rc.N`. */
export function isCandidate(version: string): boolean {
  const match = /^\d+\.\d+\.\d+(-rc\.\d+)?$/.exec(version);
  if (!match) throw new Error(`"${version}": a version is X.Y.Z or X.Y.Z-rc.N`);
  return match[1] !== undefined;
}

/** Returns every place with the versions that are written there, and what should be. */
export function listVersions(version: string): { file: string; found: string[]; right: string }[] {
  return PLACES.map(({ file, pattern, form = String }) => ({
    file,
    found: [...readFileSync(join(ROOT, file), "utf8").matchAll(pattern)].map((match) => match[2] ?? ""),
    right: form(version),
  }));
}

/** Returns each file with the version written into it. */
export function writeVersion(version: string): { file: string; text: string }[] {
  isCandidate(version);
  return PLACES.map(({ file, pattern, form = String }) => ({
    file,
    text: readFileSync(join(ROOT, file), "utf8").replaceAll(pattern, `$1${form(version)}`),
  }));
}
