/** Bundles the command line into one file that runs on Node 20 without node_modules: `node scripts/build-cli.ts [folder]`. */
import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { build, type Metafile } from "esbuild";

const ROOT = join(import.meta.dirname, "..");
const folder = resolve(process.argv[2] ?? join(ROOT, "cli/dist"));
const outfile = join(folder, "busbar.cjs");

await mkdir(folder, { recursive: true });
const { metafile } = await build({
  absWorkingDir: ROOT,
  entryPoints: ["cli/busbar.ts"],
  outfile,
  bundle: true,
  platform: "node",
  target: "node20",
  // Node 20 treats a file without extension as CommonJS, so a copy may be called just `busbar`.
  format: "cjs",
  metafile: true,
  logLevel: "warning",
});
await chmod(outfile, 0o755);
await writeFile(join(folder, "LICENSES.txt"), await licences(metafile));
const sizeKb = Math.round((metafile.outputs[relative(ROOT, outfile)]?.bytes ?? 0) / 1024);
console.log(`${relative(process.cwd(), outfile)} (${sizeKb} kB)`);

/** Returns our licence and those of every bundled package. */
async function licences({ inputs }: Metafile): Promise<string> {
  const packages = new Set(
    Object.keys(inputs).flatMap((input) => /^(node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1] ?? []),
  );
  const texts = [await readFile(join(ROOT, "LICENSE"), "utf8")];
  for (const path of [...packages].toSorted()) {
    const file = (await readdir(join(ROOT, path))).find((name) => /^licen[cs]e/i.test(name));
    if (!file) throw new Error(`${path} has no licence to pass on`);
    texts.push(`${path.replace("node_modules/", "")}\n\n${await readFile(join(ROOT, path, file), "utf8")}`);
  }
  return texts.join(`\n${"-".repeat(80)}\n\n`);
}
