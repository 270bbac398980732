/** The process of `own-tests.ts`: the changed source comes in on stdin; the arguments are its file, and the files of tests. */
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { pathToFileURL } from "node:url";

const [file = "", ...tests] = process.argv.slice(2);
const source = readFileSync(0, "utf8");
const changed = pathToFileURL(file).href;
registerHooks({
  load: (url, context, next) =>
    url === changed ? { format: "module-typescript", source, shortCircuit: true } : next(url, context),
});
for (const test of tests) await import(pathToFileURL(test).href);
