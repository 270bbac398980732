/** Holds the figures of `npm run structure`: what counts as a circle, a mutual pair, a shared name, a chain. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { findCircles, findMutualFolders, findSharedNames } from "./find-faults.ts";
import { importGraph, listImports } from "./import-graph.ts";
import { findUnusedExports } from "./unused-exports.ts";
import { findDeepestChain, listReached, listMostImported, measureSizes } from "./measure.ts";

const buildGraph = (imports: Record<string, string[]>) => new Map(Object.entries(imports));

test("an import counts whether it is of values, of types, dynamic, or a re-export", () => {
  const text = `import type { A } from "./a.ts";
import { b } from "../b.ts";
import {
  c,
} from "./deep/c.ts";
export * from "./d.ts";
const e = await import("./e.ts");
import { readFile } from "node:fs";
`;
  const found = listImports("server/x/file.ts", text);
  assert.deepEqual(found, [
    "server/x/a.ts",
    "server/b.ts",
    "server/x/deep/c.ts",
    "server/x/d.ts",
    "server/x/e.ts",
  ]);
});

test("an import of a file that is no source file is left out of the graph", () => {
  const graph = importGraph([{ file: "a.ts", text: 'import "x";\nimport { b } from "./b.json";\n' }]);
  assert.deepEqual([...graph], [["a.ts", []]]);
});

test("a circle is found through any number of files, and a diamond is none", () => {
  const circle = { "a.ts": ["b.ts"], "b.ts": ["c.ts"], "c.ts": ["a.ts", "d.ts"], "d.ts": [] };
  assert.deepEqual(findCircles(buildGraph(circle)), [["a.ts", "b.ts", "c.ts"]]);
  const diamond = { "a.ts": ["b.ts", "c.ts"], "b.ts": ["d.ts"], "c.ts": ["d.ts"], "d.ts": [] };
  assert.deepEqual(findCircles(buildGraph(diamond)), []);
});

test("folders that import each other are found; a folder and its own subfolder may", () => {
  const imports = {
    "server/main.ts": ["server/write/plan.ts"],
    "server/write/plan.ts": ["server/main.ts", "server/write/queue/claim.ts"],
    "server/write/queue/claim.ts": ["server/write/plan.ts"],
    "cli/http/api.ts": ["cli/settings/target.ts"],
    "cli/settings/target.ts": ["cli/http/api.ts"],
  };
  assert.deepEqual(findMutualFolders(buildGraph(imports)), [
    "server ⇄ server/write",
    "cli/http ⇄ cli/settings",
  ]);
});

test("a file name that occurs twice is named with its places", () => {
  assert.deepEqual(findSharedNames(["a/x.ts", "b/y.ts", "c/x.ts"]), ["x.ts: a, c"]);
  assert.deepEqual(findSharedNames(["server/api/topics/topics.ts", "server/store/deliveries/topics.ts"]), []);
});

test("sizes, the deepest chain and the most imported file are counted", () => {
  const sizes = measureSizes([10, 20, 30, 40, 100].map((lines) => ({ lines })));
  assert.deepEqual(sizes, { files: 5, lines: 200, median: 30, p90: 100, max: 100 });
  const graph = buildGraph({ "a.ts": ["b.ts", "c.ts"], "b.ts": ["c.ts"], "c.ts": [] });
  assert.deepEqual(findDeepestChain(graph), ["a.ts", "b.ts", "c.ts"]);
  assert.deepEqual([...listReached(graph, "b.ts")], ["b.ts", "c.ts"]);
  assert.deepEqual(listMostImported(graph, 1), [["c.ts", 2]]);
});

test("an export is unused if no other file imports it, or if only tests do and its own file does not use it", () => {
  const source = {
    file: "a/a.ts",
    text: `export const used = 1;
/** Not tested, tested, nor counted. */
export const counted = 2;
const twice = () => counted * 2;
export function tested() {}
export interface Tested {}
export class Unused {}
export const whole = 3, late = 4;
`,
  };
  const user = {
    file: "b.ts",
    text: `import { type Other, used as mine } from "./a/a.ts";\nconst { whole } = await import("./a/a.ts");\n`,
  };
  const check = {
    file: "a/a.test.ts",
    text: `import {\n  tested,\n  counted,\n  type Tested,\n} from "./a.ts";\n`,
  };
  assert.deepEqual(findUnusedExports([source, user], [check]), [
    "a/a.ts: only tests use tested",
    "a/a.ts: no other file imports Unused",
  ]);
});
