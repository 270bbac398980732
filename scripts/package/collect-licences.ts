/** The licences that a bundle has to pass on. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Metafile } from "esbuild";

const ROOT = join(import.meta.dirname, "../..");
const PACKAGE = /^((?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+)\//;

/** Returns our licence and those of every bundled package. Throws for a package that names none. */
export async function collectLicences({ inputs }: Metafile): Promise<string> {
  const packages = new Set(Object.keys(inputs).flatMap((input) => PACKAGE.exec(input)?.[1] ?? []));
  const texts = [await readFile(join(ROOT, "LICENSE"), "utf8")];
  for (const path of [...packages].toSorted())
    texts.push(
      `${path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length)}\n\n${await licence(path)}`,
    );
  return texts.join(`\n${"-".repeat(80)}\n\n`);
}

/** Returns the text, or what the package says of itself where it contains no text. */
async function licence(path: string): Promise<string> {
  const file = (await readdir(join(ROOT, path))).find((name) => /^licen[cs]e/i.test(name));
  if (file) return readFile(join(ROOT, path, file), "utf8");
  const manifest = JSON.parse(await readFile(join(ROOT, path, "package.json"), "utf8"));
  if (!manifest.license) throw new Error(`${path} has no licence to pass on`);
  const author = manifest.author?.name ?? manifest.author ?? "its contributors";
  return `Licence: ${manifest.license}. By ${author}. The package contains no text of it.\n`;
}
