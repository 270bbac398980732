/** The packages that are inside a bundle, and the licences that it has to pass on. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Metafile } from "esbuild";

const ROOT = join(import.meta.dirname, "../..");
const PACKAGE = /^((?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+)\//;

interface BundledPackage {
  name: string;
  version: string;
  /** The text, or what the package says of itself where it contains no text. */
  licence: string;
}

/** Returns the packages that esbuild took files from. Throws for a package that names no licence. */
export async function listBundled({ inputs }: Metafile): Promise<BundledPackage[]> {
  const paths = new Set(Object.keys(inputs).flatMap((input) => PACKAGE.exec(input)?.[1] ?? []));
  return Promise.all([...paths].toSorted().map(readPackage));
}

/** Returns the packages of the dashboard's build in this folder, as Vite wrote them with their licences. */
export async function listInDashboard(folder: string): Promise<BundledPackage[]> {
  const text = await readFile(join(folder, "licences.json"), "utf8");
  const listed = JSON.parse(text) as {
    name: string;
    version: string;
    identifier?: string;
    text?: string;
  }[];
  return listed.map(({ name, version, identifier, text: licence }) => ({
    name,
    version,
    licence: licence ? `${licence}\n` : describe(name, identifier),
  }));
}

/** Returns the text that lies beside a bundle: our licence and that of each package. */
export async function writeLicences(packages: BundledPackage[]): Promise<string> {
  const texts = new Map(packages.map(({ name, version, licence }) => [`${name} ${version}`, licence]));
  const own = await readFile(join(ROOT, "LICENSE"), "utf8");
  const others = [...texts].toSorted().map(([title, licence]) => `${title}\n\n${licence}`);
  return [own, ...others].join(`\n${"-".repeat(80)}\n\n`);
}

async function readPackage(path: string): Promise<BundledPackage> {
  const manifest = JSON.parse(await readFile(join(ROOT, path, "package.json"), "utf8"));
  const { name, version } = manifest;
  const file = (await readdir(join(ROOT, path))).find((entry) => /^licen[cs]e/i.test(entry));
  if (file) return { name, version, licence: await readFile(join(ROOT, path, file), "utf8") };
  return {
    name,
    version,
    licence: describe(name, manifest.license, manifest.author?.name ?? manifest.author),
  };
}

function describe(name: string, identifier: string | undefined, author = "its contributors"): string {
  if (!identifier) throw new Error(`${name} has no licence to pass on`);
  return `Licence: ${identifier}. By ${author}. The package contains no text of it.\n`;
}
