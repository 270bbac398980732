/** Keeps words out of the code that were replaced by the trade's: verbs for functions, one term for each thing. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const ROOT = join(import.meta.dirname, "..");

/** Names of the language, of JSON Schema and of HTTP that are called or declared here. */
const FOREIGN =
  /^(?:indexOf|lastIndexOf|valueOf|getPrototypeOf|setPrototypeOf|oneOf|anyOf|allOf|multipleOf)$/;
const DECLARED_OR_CALLED =
  /(?<![\w$])(?:function\*? (?<declared>#?\w+Of)\b|(?<value>#?[a-z]\w*Of)\??(?:\(|: \(| = (?:async )?(?:\(|\w+ =>)))/g;

/** Every source and test but those that a script writes, and this one. */
const sources = globSync("{*,*/**/*}.{ts,tsx,mjs}", {
  cwd: ROOT,
  exclude: (name) => /node_modules|^dist$/.test(name),
})
  .filter((file) => !/\.gen\.ts$|^tests\/words\.test\.ts$/.test(file))
  .map((file) => ({ file, text: readFileSync(join(ROOT, file), "utf8") }));

test("a function is named by a verb: no name ends in Of", () => {
  const wrong = sources.flatMap(({ file, text }) =>
    [...text.matchAll(DECLARED_OR_CALLED)]
      .map(({ groups }) => groups?.["declared"] ?? groups?.["value"] ?? "")
      .filter((name) => !FOREIGN.test(name))
      .map((name) => `${file}: ${name}`),
  );
  assert.deepEqual(wrong, []);
});

/** Words that left, each with what the code says instead. */
const REPLACED: Record<string, string> = { walk: "scan", wish: "filter" };
/** The column `walk` keeps its name: processes of the version before read it during an upgrade. */
const KEEPS_COLUMN = /^server\/store\/subscriptions\//;

test("words that were replaced by the trade's do not come back", () => {
  const wrong = sources.flatMap(({ file, text }) =>
    Object.entries(REPLACED)
      .filter(
        ([word]) => new RegExp(`\\b${word}(?:s|ed|ing)?\\b`, "i").test(text) && !KEEPS_COLUMN.test(file),
      )
      .map(([word, instead]) => `${file}: ${word}, say ${instead}`),
  );
  assert.deepEqual(wrong, []);
});

/** Words that begin a phrase of the sentence before, or of the declaration's name, and no sentence of their own. */
const NO_BEGINNING =
  /\/\*\*\s*(?:\n\s*\* )?(?<comment>(?:Of|As|Also|And|Or|But|To|By|From|Most|So|Under|Whose|Between)\b[^\n]*)/g;

test("a comment of a declaration is a sentence of its own: it begins with no Of, As, And, But, To, By, From and the like", () => {
  const wrong = sources.flatMap(({ file, text }) =>
    [...text.matchAll(NO_BEGINNING)].map(({ groups }) => `${file}: ${groups?.["comment"] ?? ""}`),
  );
  assert.deepEqual(wrong, []);
});
