/** Reads the source files of the project and what each of them imports, types included. */
import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

/** Each source file with the source files that it imports. Paths are relative to the root of the project. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;

export interface Source {
  file: string;
  text: string;
  lines: number;
}

const ROOT = join(import.meta.dirname, "..", "..");

const FOLDERS =
  "{server,ground,manifest,cli,connectors,connector-kit,dashboard,destinations,destination-kit,sandbox,simulations,demo,scripts,bench}";

/** Tests, example calls of the API, fixtures and tools for tests. Conformance suites keep to the rules of their folder. */
const FOR_TESTS = /\.(test|examples)\.ts$|fixture|sandbox\/test-client\.ts$/;

/** Returns every source file, sorted by path. Tests and their tools are not among them. */
export const readSources = (): Source[] =>
  readFiles(`${FOLDERS}/**/*.{ts,tsx}`).filter(({ file }) => !FOR_TESTS.test(file));

/** Returns the tests and their tools. */
export const readTests = (): Source[] => [
  ...readFiles(`${FOLDERS}/**/*.{ts,tsx}`).filter(({ file }) => FOR_TESTS.test(file)),
  ...readFiles("tests/**/*.ts"),
];

const readFiles = (pattern: string): Source[] =>
  globSync(pattern, { cwd: ROOT, exclude: ["**/node_modules"] })
    .toSorted()
    .map((file) => {
      const text = readFileSync(join(ROOT, file), "utf8");
      return { file, text, lines: text.split("\n").length - 1 };
    });

/** Returns the graph of these files. Imports of packages and of other files are left out. */
export function importGraph(sources: readonly Pick<Source, "file" | "text">[]): ImportGraph {
  const known = new Set(sources.map(({ file }) => file));
  return new Map(
    sources.map(({ file, text }) => [file, listImports(file, text).filter((target) => known.has(target))]),
  );
}

const IMPORT = /(?:^|\n)\s*(?:import|export)\s[^;]*?from\s+"([^"]+)"|import\("([^"]+)"\)/g;

/** Returns the paths of all relative imports of a file: static, dynamic, of types, and re-exports. */
export function listImports(file: string, text: string): string[] {
  const found = [...text.matchAll(IMPORT)].map(([, from, dynamic]) => from ?? dynamic ?? "");
  const relative = found.filter((from) => from.startsWith("."));
  return [...new Set(relative.map((from) => normalize(join(dirname(file), from))))];
}
