/** Finds exports that no other file imports, and those that only tests do while nothing else runs them. */
import { dirname, join, normalize } from "node:path";
import type { Source } from "./import-graph.ts";

type Text = Pick<Source, "file" | "text">;

const EXPORT = /^export (?:abstract )?(?:async )?(?:function\*?|const|let|class|interface|type) (\w+)/gm;
const TYPE = /^export (?:interface|type) /;
const NAMED = /^(?:import|export) (?:type )?(?:\w+, )?\{([^}]*)\} from "(\.[^"]+)"/gm;
const WHOLE = /^(?:import|export) (?:type )?\*[^;]*? from "(\.[^"]+)"|import\(\s*"(\.[^"]+)"/gm;
const COMMENT = /^\s*(?:\/\*\*[^]*?\*\/|\/\/.*)$/gm;

/** Generated modules, those that are loaded by a path, tools of tests, and shards, which no command opens yet. */
const LOADED =
  /^[^:]*\.(gen|examples)\.ts:|^tests\/(dashboard\/suites|harness\/(global-setup|run-files))|^connector-kit\/testing\/|^server\/store\/shards\//;

/**
 * Returns the exports that are unused. What tests import must be used in its own file too, so that no test keeps a
 * function alive that nothing runs; a type may be exported for tests.
 */
export function findUnusedExports(sources: readonly Text[], tests: readonly Text[]): string[] {
  const bySources = collectUses(sources);
  const byTests = collectUses(tests);
  const faults = (texts: readonly Text[]) =>
    texts.flatMap(({ file, text }) =>
      [...text.matchAll(EXPORT)].flatMap(([statement, name = ""]) => {
        const use = `${file} ${name}`;
        if (bySources.has(use)) return [];
        if (!byTests.has(use)) return [`${file}: no other file imports ${name}`];
        if (TYPE.test(statement) || texts !== sources || countUses(text, name) > 1) return [];
        return [`${file}: only tests use ${name}`];
      }),
    );
  const isTest = ({ file }: Text) => file.endsWith(".test.ts");
  return [...faults(sources), ...faults(tests.filter((text) => !isTest(text)))].filter(
    (fault) => !LOADED.test(fault),
  );
}

/** Returns what the files import, as `<file> <name>`. A file that imports a whole module imports every name that it mentions. */
function collectUses(texts: readonly Text[]): Set<string> {
  const uses = new Set<string>();
  for (const { file, text } of texts) {
    const add = (from: string, names: Iterable<string>) => {
      const target = normalize(join(dirname(file), from));
      for (const name of names) uses.add(`${target} ${name}`);
    };
    for (const [, names = "", from = ""] of text.matchAll(NAMED))
      add(
        from,
        names.split(",").map((name) =>
          name
            .trim()
            .replace(/^type /, "")
            .replace(/ as .*/, ""),
        ),
      );
    for (const [, from, dynamic] of text.matchAll(WHOLE))
      add(from ?? dynamic ?? "", text.match(/\w+/g) ?? []);
  }
  return uses;
}

const countUses = (text: string, name: string): number =>
  (text.replaceAll(COMMENT, "").match(/\w+/g) ?? []).filter((word) => word === name).length;
