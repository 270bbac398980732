/** Checks the programs on the pages about the components against their types. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const ROOT = join(import.meta.dirname, "../../..");
const FOLDER = join(ROOT, "clients/react");
const PAGES = ["docs/guide/react.md", "clients/react/README.md"];

/** Needs the components, built. */
export async function checkPrograms(): Promise<void> {
  // Below the components, so that React's types are found.
  const folder = await mkdtemp(join(FOLDER, "dist-"));
  try {
    const texts = await Promise.all(PAGES.map((page) => readFile(join(ROOT, page), "utf8")));
    const blocks = texts.flatMap((text) => [...text.matchAll(/```(tsx?)\n(.*?)\n```/gs)]);
    assert.ok(blocks.length >= 5);
    for (const [index, [, language = "", block = ""]] of blocks.entries())
      await writeFile(join(folder, `program-${index}.${language}`), block);
    await writeFile(join(folder, "styles.d.ts"), 'declare module "*.css";');
    const paths = {
      "@busbar/client": ["../../typescript/dist/index.d.ts"],
      "@busbar/react": ["../dist/index.d.ts"],
    };
    const compilerOptions = { rootDir: "../..", noEmit: true, types: ["node"], paths };
    const config = { extends: "../tsconfig.json", compilerOptions, include: ["."] };
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify(config));
    const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
    const { stdout } = await promisify(execFile)(process.execPath, [compiler, "-p", folder]).catch(
      (error: { stdout: string }) => error,
    );
    assert.equal(stdout, "");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
