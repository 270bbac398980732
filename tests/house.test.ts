/** Holds the house rules that no linter knows: who may import whom, and who may do what. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { globSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { test } from "node:test";

const ROOT = join(import.meta.dirname, "..");

/** The stairs: a place may import from itself and from the places listed. The first pattern that fits is the place. */
const PLACES: { name: string; files: RegExp; mayImport: string[] }[] = [
  { name: "ground", files: /^server\/ground\//, mayImport: [] },
  { name: "store", files: /^server\/store\//, mayImport: ["ground"] },
  { name: "jobs", files: /^server\/jobs\//, mayImport: ["ground", "store"] },
  { name: "http", files: /^server\/http\//, mayImport: ["ground"] },
  { name: "egress", files: /^server\/egress\//, mayImport: ["ground"] },
  ...["access", "manifest", "credentials", "deliver"].map((room) => ({
    name: room,
    files: new RegExp(`^server/${room}/`),
    mayImport: [...services(), "catalog", "kit", ...destinations()],
  })),
  ...["proxy", "write", "read", "subscribe"].map((room) => ({
    name: room,
    files: new RegExp(`^server/${room}/`),
    mayImport: [...services(), ...sharedRooms(), "catalog", "kit"],
  })),
  {
    name: "api",
    files: /^server\/api\//,
    mayImport: [...services(), ...sharedRooms(), ...rooms(), "catalog", "kit", ...destinations()],
  },
  {
    name: "entrance",
    files: /^server\/(demo\/|[\w-]+\.ts$)/,
    mayImport: [...services(), ...sharedRooms(), ...rooms(), "api", "catalog", "kit", "sandbox", "cli"],
  },
  // Knows a server by its address only; the check of manifests works without one (docs/decisions/0012).
  { name: "cli", files: /^cli\//, mayImport: ["manifest", "catalog", "kit"] },
  { name: "kit", files: /^connectors\/kit\//, mayImport: ["ground"] },
  {
    name: "catalog",
    files: /^connectors\/(catalog|index\.gen)\.ts$/,
    mayImport: ["ground", "kit", "connector"],
  },
  { name: "connector", files: /^connectors\/[^/]+\//, mayImport: ["ground", "kit"] },
  {
    name: "destination index",
    files: /^destinations\/index\.gen\.ts$/,
    mayImport: ["destination kit", "destination"],
  },
  { name: "destination kit", files: /^destinations\/kit\//, mayImport: ["ground"] },
  { name: "destination", files: /^destinations\/[^/]+\//, mayImport: ["ground", "destination kit"] },
  { name: "sandbox", files: /^sandbox\//, mayImport: [] },
];

function services() {
  return ["ground", "store", "jobs", "http", "egress"];
}
function sharedRooms() {
  return ["access", "manifest", "credentials", "deliver"];
}
function destinations() {
  return ["destination index", "destination kit"];
}
function rooms() {
  return ["proxy", "write", "read", "subscribe"];
}

/** Management endpoints may use another resource's shape and lookup, never its endpoints. */
const ENDPOINT =
  /^server\/api\/([\w-]+)\/(list|get|create|update|delete|put|patch|generate|batch|pause|resend|test)-/;

const sources = globSync("{server,cli,connectors,destinations,sandbox}/**/*.ts", { cwd: ROOT }).filter(
  (file) => !/\.test\.ts$|-suite\.ts$|fixture|test-/.test(file),
);
const placeOf = (file: string) => PLACES.find(({ files }) => files.test(file));
const read = (file: string) => readFileSync(join(ROOT, file), "utf8");

function importsOf(file: string): string[] {
  const found = read(file).matchAll(
    /(?:^|\n)\s*(?:import|export)\s[^;]*?from\s+"([^"]+)"|import\("([^"]+)"\)/g,
  );
  return [...found]
    .map(([, from, dynamic]) => from ?? dynamic ?? "")
    .filter((from) => from.startsWith("."))
    .map((from) => normalize(join(dirname(file), from)));
}

test("every source file has a place in the house", () => {
  assert.deepEqual(
    sources.filter((file) => !placeOf(file)),
    [],
  );
});

test("imports go down the stairs only", () => {
  const wrong = sources.flatMap((file) => {
    const from = placeOf(file);
    return importsOf(file)
      .filter((target) => {
        const to = placeOf(target);
        if (!from || !to || (from.name === to.name && from.name !== "connector")) return false;
        if (from.name === "connector" && to.name === "connector") return dirname(file) !== dirname(target);
        return !from.mayImport.includes(to.name);
      })
      .map((target) => `${file} → ${target}`);
  });
  assert.deepEqual(wrong, []);
});

test("an endpoint never calls an endpoint of another resource", () => {
  const wrong = sources.flatMap((file) => {
    const own = /^server\/api\/([\w-]+)\//.exec(file)?.[1];
    if (!own) return [];
    return importsOf(file)
      .filter((target) => ENDPOINT.test(target) && ENDPOINT.exec(target)?.[1] !== own)
      .map((target) => `${file} → ${target}`);
  });
  assert.deepEqual(wrong, []);
});

test("what the command line takes of the server is pure: no file, no socket, no package but three small ones", () => {
  const PURE = new Set(["yaml", "typebox", "typebox/value", "croner"]);
  const seen = new Set(sources.filter((file) => file.startsWith("cli/")));
  const wrong: string[] = [];
  for (const file of seen) {
    const code = read(file).replaceAll(/^(?:import|export) type [^;]*;$/gm, "");
    for (const [, from = ""] of code.matchAll(/(?:^|\n)(?:import|export)\s[^;]*?from\s+"([^"]+)"/g)) {
      if (from.startsWith(".")) seen.add(normalize(join(dirname(file), from)));
      else if (!file.startsWith("cli/") && !PURE.has(from)) wrong.push(`${file} → ${from}`);
    }
  }
  assert.deepEqual(wrong, []);
});

/** What only one place may do, and how it looks in code. */
const PRIVILEGES: { what: string; pattern: RegExp; only: RegExp }[] = [
  {
    what: "reads the environment",
    pattern: /process\.env\b/,
    only: /^(server\/(ground\/config|demo\/)|cli\/terminal\.ts)/,
  },
  {
    what: "asks for the time",
    pattern: /Date\.now\(|new Date\(\)|performance\.now\(/,
    only: /^(server\/ground|cli)\/clock\.ts$/,
  },
  {
    what: "writes SQL",
    pattern: /\bsql`|\.selectFrom\(|\.insertInto\(|\.updateTable\(|\.deleteFrom\(/,
    only: /^server\/store\//,
  },
  {
    what: "opens sockets outwards",
    pattern: /^import (?!type )[^;]*from "(undici|node:https|node:net|node:tls)"|\bfetch\(\s*["'`]http/m,
    only: /^(server\/(egress\/|proxy\/|ground\/config|store\/|main|listeners)|cli\/http\/send\.ts)/,
  },
];

for (const { what, pattern, only } of PRIVILEGES) {
  test(`only ${only.source} ${what}`, () => {
    const wrong = sources.filter(
      (file) => !file.startsWith("sandbox/") && !only.test(file) && pattern.test(read(file)),
    );
    assert.deepEqual(wrong, []);
  });
}

test("importing a module does nothing: no call stands at the top level of a source file", () => {
  const acts = /^(?:await |[\w.]+\((?!.*=>))/m;
  const wrong = sources.filter(
    (file) =>
      !/^(server|cli)\/busbar\.ts$/.test(file) && !file.startsWith("server/demo/") && acts.test(read(file)),
  );
  assert.deepEqual(wrong, []);
});

test("every source file opens with a sentence that says what it is for", () => {
  const wrong = sources.filter((file) => !/^(#!.*\n)?\/[*/]/.test(read(file)));
  assert.deepEqual(
    wrong.filter((file) => !file.endsWith(".gen.ts")),
    [],
  );
});
