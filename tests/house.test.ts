/** Checks the house rules that no linter knows: which folder may import which, and which may do what. */
import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { test } from "node:test";
import { PROVIDER_TABLE } from "../connectors/provider-table.ts";
import { findCircles, findMutualFolders, findSharedNames } from "../scripts/structure/find-faults.ts";
import { importGraph, listImports, readSources, readTests } from "../scripts/structure/import-graph.ts";
import { listReached } from "../scripts/structure/measure.ts";
import { findUnusedExports } from "../scripts/structure/unused-exports.ts";

/** The layers: a place may import from itself and from the places listed. The first pattern that matches is the place. */
const GROUND = ["ground"];
const SERVICES = [...GROUND, "store", "postgres", "jobs", "egress", "http", "events"];
const KITS = ["connector kit", "destination index", "destination kit"];
const SHARED = ["access", "credentials", "deliver"];
const CALLS = ["calls", "operations"];
const DASHBOARD = ["dashboard api", "dashboard ui", "dashboard frame"];
const ACTIONS = ["proxy", "write", "read", "subscribe", "watch"];
/** What an action may use of another one: subscribing reads records again as runs do. */
const OF_ACTION: Record<string, string[]> = { subscribe: ["read"] };

const folder = (name: string, mayImport: string[]) => ({
  name,
  files: new RegExp(`^server/${name}/`),
  mayImport,
});

const PLACES: { name: string; files: RegExp; mayImport: string[] }[] = [
  { name: "ground", files: /^ground\//, mayImport: [] },
  { name: "manifest", files: /^manifest\//, mayImport: [...GROUND, "connector kit"] },
  folder("store", GROUND),
  folder("postgres", GROUND),
  folder("jobs", [...GROUND, "store"]),
  folder("egress", GROUND),
  folder("http", [...GROUND, "store"]),
  folder("events", [...GROUND, "store"]),
  ...SHARED.map((name) => folder(name, [...SERVICES, "manifest", ...KITS])),
  folder("calls", [...SERVICES, "credentials", ...KITS]),
  folder("operations", [...SERVICES, "manifest", "credentials", "calls", ...KITS]),
  ...ACTIONS.map((name) =>
    folder(name, [...SERVICES, "manifest", ...SHARED, ...CALLS, ...KITS, ...(OF_ACTION[name] ?? [])]),
  ),
  folder("guide", [...GROUND, "http"]),
  folder("agents", [...SERVICES, "guide", "manifest", ...SHARED, ...CALLS, ...ACTIONS, ...KITS]),
  folder("api", [...SERVICES, "manifest", ...SHARED, ...CALLS, ...ACTIONS, "agents", "guide", ...KITS]),
  folder("data-folder", [...SERVICES, "access"]),
  folder("metrics", [...SERVICES, "manifest", ...SHARED, ...CALLS, ...ACTIONS]),
  folder("telemetry", SERVICES),
  { name: "server dashboard", files: /^server\/dashboard\//, mayImport: [...GROUND, "http"] },
  {
    name: "entrance",
    files: /^server\/[\w-]+\.ts$/,
    mayImport: [
      ...SERVICES,
      ...SHARED,
      ...CALLS,
      ...ACTIONS,
      ...KITS,
      "agents",
      "manifest",
      "catalog",
      "api",
      "data-folder",
      "metrics",
      "telemetry",
      "server dashboard",
    ],
  },
  folder("commands", [
    ...SERVICES,
    ...SHARED,
    "metrics",
    "data-folder",
    "server dashboard",
    "entrance",
    "sandbox",
    "simulations",
    "catalog",
    "cli",
  ]),
  { name: "demo", files: /^demo\//, mayImport: [...GROUND, "access", "data-folder", "entrance", "sandbox"] },
  // Knows a server by its address only; the check of manifests works without one (docs/decisions/0012).
  { name: "cli", files: /^cli\//, mayImport: ["ground", "manifest", "catalog", "connector kit"] },
  // Lives in the browser and on the public API; takes nothing of the server but the check of manifests.
  { name: "dashboard api", files: /^dashboard\/api(\/|\.gen\.ts)/, mayImport: [] },
  { name: "dashboard ui", files: /^dashboard\/ui\//, mayImport: [] },
  { name: "dashboard frame", files: /^dashboard\/frame\//, mayImport: ["dashboard api", "dashboard ui"] },
  { name: "dashboard page", files: /^dashboard\/pages\//, mayImport: [...DASHBOARD, "manifest"] },
  { name: "dashboard", files: /^dashboard\/[\w.-]+$/, mayImport: [...DASHBOARD, "dashboard page"] },
  { name: "connector kit", files: /^connector-kit\//, mayImport: GROUND },
  {
    name: "catalog",
    files: /^connectors\/[\w-]+(\.gen)?\.ts$/,
    mayImport: [...GROUND, "connector kit", "connector"],
  },
  { name: "connector", files: /^connectors\/[^/]+\//, mayImport: [...GROUND, "connector kit"] },
  {
    name: "destination index",
    files: /^destinations\/index\.gen\.ts$/,
    mayImport: ["destination kit", "destination"],
  },
  { name: "destination kit", files: /^destination-kit\//, mayImport: GROUND },
  { name: "destination", files: /^destinations\/[^/]+\//, mayImport: [...GROUND, "destination kit"] },
  // Vendors simulated from facts about their APIs.
  { name: "simulations", files: /^simulations\//, mayImport: [...GROUND, "connector kit", "catalog"] },
  { name: "sandbox", files: /^sandbox\//, mayImport: [] },
];

const ROOT = join(import.meta.dirname, "..");

const all = readSources();
const texts = new Map(all.map(({ file, text }) => [file, text]));
const read = (file: string): string => texts.get(file) ?? "";

/** Without the tools of developers, which may use everything. */
const sources = all.map(({ file }) => file).filter((file) => !/^(scripts|bench)\//.test(file));
const getPlace = (file: string) => PLACES.find(({ files }) => files.test(file));

test("every source file belongs to a place with rules for its imports", () => {
  assert.deepEqual(
    sources.filter((file) => !getPlace(file)),
    [],
  );
});

/** Places whose folders do not import each other. */
const APART = new Set(["connector", "dashboard page"]);
const getOwnFolder = (file: string) => /^(connectors|dashboard\/pages)\/[^/]+/.exec(file)?.[0];

test("a file imports only from its own folder and from lower layers", () => {
  const wrong = sources.flatMap((file) => {
    const from = getPlace(file);
    return listImports(file, read(file))
      .filter((target) => {
        const to = getPlace(target);
        if (!from || !to || (from.name === to.name && !APART.has(from.name))) return false;
        if (from.name === to.name) return getOwnFolder(file) !== getOwnFolder(target);
        return !from.mayImport.includes(to.name);
      })
      .map((target) => `${file} → ${target}`);
  });
  assert.deepEqual(wrong, []);
});

test("a folder of the server or the dashboard holds at most 25 source files", () => {
  const isCounted = (file: string) =>
    /^(server|dashboard)\//.test(file) && !/\.(test|examples)\.ts$/.test(file);
  const folders = Map.groupBy(sources.filter(isCounted), (file) => dirname(file));
  const crowded = [...folders].filter(([, files]) => files.length > 25);
  assert.deepEqual(
    crowded.map(([path, files]) => `${path}: ${String(files.length)}`),
    [],
  );
});

test("no two folders import each other", () => {
  assert.deepEqual(findMutualFolders(importGraph(all)), []);
});

test("no two top-level folders import each other", () => {
  const top = (file: string) => file.split("/")[0];
  const pairs = new Set(
    sources.flatMap((file) => listImports(file, read(file)).map((target) => `${top(file)} → ${top(target)}`)),
  );
  const mutual = [...pairs].filter((pair) => {
    const [from, to] = pair.split(" → ");
    return from !== to && pairs.has(`${to} → ${from}`);
  });
  assert.deepEqual(mutual, []);
});

test("no file reaches itself by its imports, types counted", () => {
  const circles = findCircles(importGraph(all)).map((circle) => circle.join(", "));
  assert.deepEqual(circles, []);
});

test("a write reaches at most 155 files: it knows the database, egress and connections by what they do", () => {
  const reached = listReached(importGraph(all), "server/write/write-records.ts");
  assert.ok(reached.size <= 155, String(reached.size));
  for (const opener of ["store/database/open-database", "egress/open-egress", "calls/open-live-connections"])
    assert.ok(texts.has(`server/${opener}.ts`) && !reached.has(`server/${opener}.ts`), opener);
});

test("npm run generate imports no generated file before it has written all of them", () => {
  const STATIC = /^(?:import|export) (?!type )[^;]*?from "(\.[^"]+)"/gm;
  const reached = new Set(["scripts/generate.ts"]);
  for (const file of reached)
    for (const [, from = ""] of read(file).matchAll(STATIC))
      reached.add(normalize(join(dirname(file), from)));
  assert.deepEqual(
    [...reached].filter((file) => file.endsWith(".gen.ts")),
    [],
  );
});

test("an export has a user in another file, and a function that tests use has one beside them", () => {
  assert.deepEqual(findUnusedExports([...all, ...readEntries()], readTests()), []);
});

/** Scripts that load the server or the demonstration as a whole. */
const readEntries = () =>
  globSync("{server,demo}/*.mjs", { cwd: ROOT }).map((file) => ({
    file,
    text: readFileSync(join(ROOT, file), "utf8"),
  }));

/** The server with the libraries that only the house uses. */
const IN_SERVER = /^(server|ground|manifest)\//;

test("an exported name is unique in the server; an endpoint may have that of the store function that it calls", () => {
  const places = new Map<string, Set<string>>();
  for (const { file, text } of all) {
    if (!IN_SERVER.test(file) || file.endsWith(".gen.ts")) continue;
    const isEndpoint = file.startsWith("server/api/");
    for (const [, name = ""] of text.matchAll(
      /^export (?:async )?(?:function\*?|const|class|interface|type) (\w+)/gm,
    )) {
      const key = isEndpoint && /^[a-z]/.test(name) ? `endpoint ${name}` : name;
      places.set(key, (places.get(key) ?? new Set()).add(file));
    }
  }
  const shared = [...places].filter(([, files]) => files.size > 1);
  assert.deepEqual(
    shared.map(([name, files]) => `${name}: ${[...files].join(", ")}`),
    [],
  );
});

test("a file name is unique in the server", () => {
  const shared = findSharedNames(sources.filter((file) => IN_SERVER.test(file)));
  assert.deepEqual(shared, []);
});

test("no written file has more than 400 lines, except the providers that are data", () => {
  const long = all.filter(({ file, lines }) => lines > 400 && !/\.gen\.ts$|^connectors\/table\//.test(file));
  assert.deepEqual(
    long.map(({ file }) => file),
    [],
  );
});

test("an endpoint uses another resource's shape and lookup, never its endpoints", () => {
  const getResource = (file: string) => /^server\/api\/([\w-]+)\//.exec(file)?.[1];
  const inApi = sources.filter((file) => getResource(file));
  const endpoints = new Set(
    inApi.flatMap((file) => [...read(file).matchAll(/operationId: "(\w+)"/g)].map(([, name = ""]) => name)),
  );
  assert.ok(endpoints.size > 100);
  const wrong = inApi.flatMap((file) =>
    [...read(file).matchAll(/^import [^;]*?{([^}]*)} from "\.\.\/([\w-]+)\/[^"]+";/gm)]
      .filter(([, , resource]) => resource !== getResource(file))
      .flatMap(([, names = "", resource]) =>
        (names.match(/\w+/g) ?? [])
          .filter((name) => endpoints.has(name))
          .map((name) => `${file} → ${resource}: ${name}`),
      ),
  );
  assert.deepEqual(wrong, []);
});

test("each resource of the API has a test of its own", () => {
  const resources = new Set(sources.flatMap((file) => /^server\/api\/([\w-]+)\//.exec(file)?.[1] ?? []));
  const expected = [...resources].map((name) => `server/api/${name}/${name}.test.ts`);
  assert.deepEqual(
    expected.filter((file) => !existsSync(join(ROOT, file))),
    [],
  );
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
    only: /^(ground\/config|demo\/|cli\/terminal\.ts)/,
  },
  {
    what: "asks for the time",
    pattern: /Date\.now\(|new Date\(\)|performance\.now\(/,
    only: /^(ground|cli|dashboard\/ui)\/clock\.ts$/,
  },
  {
    what: "writes SQL",
    pattern: /\bsql`|\.selectFrom\(|\.insertInto\(|\.updateTable\(|\.deleteFrom\(/,
    only: /^server\/store\//,
  },
  {
    what: "opens sockets outwards",
    pattern:
      /^import (?!type )[^;]*from "(undici|node:https|node:http2|node:net|node:tls)"|\bfetch\(\s*["'`]http/m,
    only: /^(ground\/(config-values|client-address)|server\/(egress\/|proxy\/|store\/|postgres\/|main|listeners)|cli\/http\/send\.ts)/,
  },
  {
    what: "connects without the address guard",
    pattern: /\bopenOperator(Egress|Agent)\b/,
    only: /^server\/(egress|telemetry|commands)\//,
  },
  {
    what: "loads OpenTelemetry's SDK at the start",
    pattern: /^import (?!type )[^;]*from "(@opentelemetry\/|[./]+(server\/)?telemetry\/)/m,
    only: /^server\/telemetry\//,
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
      !/^(server\/commands|cli)\/busbar\.ts$|^server\/api\/docs\/extract-reader\.ts$|^dashboard\/main\.tsx$/.test(
        file,
      ) &&
      !file.startsWith("demo/") &&
      acts.test(read(file)),
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

/** Files that may name providers, and why. Comments may, too: they give the source of a quirk. */
const NAMES_PROVIDERS: Record<string, string> = {
  "manifest/finding.ts": "rule ids of the public manifest format",
  "manifest/rules/provider-rules.ts": "rule ids of the public manifest format",
  "manifest/rules/subscribe-rules.ts": "rule ids of the public manifest format",
  "manifest/rules/structure-rules.ts": "example in a remedy",
  "server/events/sample-event.ts": "sample",
  "server/commands/busbar.ts": "the sandbox simulates two providers by name",
  "server/commands/server-commands.ts": "the sandbox simulates two providers by name",
  "server/api/providers/providers.ts": "example in a description",
  "server/api/objects/field-definition.ts": "example in a description",
  "server/api/connections/connection.ts": "example in a description",
  "server/write/write-request.ts": "example in a description",
  "server/access/get-mail-domain.ts": "domains of mail providers",
};
/** Providers whose names are ordinary words in code. */
const ORDINARY =
  /^(box|close|copper|drift|front|iterable|kit|linear|meta|monday|notion|reply|resend|segment|snowflake|square)$/;

test("the server names no provider: what differs between providers is a connector's code or the catalog's data", () => {
  const names = Object.keys(PROVIDER_TABLE).filter((name) => !ORDINARY.test(name));
  assert.ok(names.length > 200);
  const pattern = new RegExp(`(?<![A-Za-z])(${names.join("|")})(?![a-z])`, "i");
  const withoutComments = (text: string) => text.replaceAll(/\/\*[^]*?\*\/|(?<=^|\s)\/\/.*$/gm, "");
  const naming = sources.filter((file) => IN_SERVER.test(file) && pattern.test(withoutComments(read(file))));
  assert.deepEqual(naming.toSorted(), Object.keys(NAMES_PROVIDERS).toSorted());
});

test("the check of manifests runs in a browser: nothing that it reaches uses Node", () => {
  const seen = new Set(sources.filter((file) => file.startsWith("manifest/")));
  seen.add("connectors/catalog-overlay.ts");
  const wrong: string[] = [];
  for (const file of seen) {
    const code = read(file).replaceAll(/^(?:import|export) type [^;]*;$/gm, "");
    for (const target of listImports(file, code)) seen.add(target);
    const [node] =
      /from "node:[^"]*"|\b(Buffer|process|global|setImmediate|__dirname|require)\b[.(]/.exec(code) ?? [];
    if (node) wrong.push(`${file}: ${node}`);
  }
  assert.ok(seen.has("connector-kit/provider-info.ts"));
  assert.deepEqual(wrong, []);
});
