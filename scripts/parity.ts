/** `npm run parity -- <files>`: compares openapi.json with the public API and fails on a difference without a reason. */
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { compare } from "./parity/compare.ts";
import { readDocument, type Document } from "./parity/document.ts";
import { explain, readExplanations } from "./parity/explain.ts";
import { report } from "./parity/report.ts";
import { readMessage } from "../ground/errors.ts";

const USAGE = `npm run parity -- <file or folder>…

Compares openapi.json with the public OpenAPI documents: api.json, write.json, read.json and search.json, or a folder
that holds them. They are published in the repository \`openapi\` of amp-labs on GitHub; generate the .json files there, or
convert its .yaml files. The reasons are in docs/parity.md.`;

const FILES = ["api.json", "write.json", "read.json", "search.json"];

const paths = process.argv.slice(2);
if (paths.length === 0) {
  console.error(USAGE);
  process.exit(2);
}
const ours = readDocument(JSON.parse(await readFile("openapi.json", "utf8")), "");
const theirs = await Promise.all((await Promise.all(paths.map(listFiles))).flat().map(read));
const differences = theirs.flatMap((document) => compare(keepSurface(ours, document, theirs), document));
const verdict = explain(differences, readExplanations(await readFile("docs/parity.md", "utf8")));
const operations = {
  ours: ours.operations.size,
  theirs: theirs.reduce((sum, one) => sum + one.operations.size, 0),
};
console.log(report(verdict, operations));
process.exitCode = verdict.unexplained.length + verdict.stale.length > 0 ? 1 : 0;

async function listFiles(path: string): Promise<string[]> {
  const found = await stat(path).catch(() => undefined);
  if (!found) {
    console.error(`${path} does not exist.\n\n${USAGE}`);
    process.exit(2);
  }
  return found.isDirectory() ? FILES.map((file) => join(path, file)) : [path];
}

async function read(path: string): Promise<Document> {
  try {
    return readDocument(JSON.parse(await readFile(path, "utf8")));
  } catch (cause) {
    console.error(`${path}: ${readMessage(cause)}\n\n${USAGE}`);
    process.exit(2);
  }
}

/** Leaves out our operations that another one of the public documents describes. */
function keepSurface(all: Document, one: Document, documents: Document[]): Document {
  const elsewhere = new Set(
    documents.filter((other) => other !== one).flatMap((other) => [...other.operations.keys()]),
  );
  const isFirst = documents[0] === one;
  const mine = [...all.operations].filter(
    ([name]) => one.operations.has(name) || (isFirst && !elsewhere.has(name)),
  );
  return { root: all.root, operations: new Map(mine) };
}
