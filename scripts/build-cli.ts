/** Bundles the command line into one file that runs on Node 20 without node_modules: `node scripts/build-cli.ts [folder]`. */
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { build } from "esbuild";
import { listBundled, writeLicences } from "./package/collect-licences.ts";

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
await writeFile(join(folder, "LICENSES.txt"), await writeLicences(await listBundled(metafile)));
const sizeKb = Math.round((metafile.outputs[relative(ROOT, outfile)]?.bytes ?? 0) / 1024);
console.log(`${relative(process.cwd(), outfile)} (${sizeKb} kB)`);
