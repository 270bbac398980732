/** `npm run build`: builds the dashboard, for images that are run without development packages, and prints what it weighs. */
import { mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { buildDashboard, findBundler } from "../server/dashboard/build-dashboard.ts";
import { PROJECT_ROOT } from "../ground/project-root.ts";
import { computeDashboardDigest } from "../server/dashboard/dashboard-digest.ts";

const bundler = findBundler();
const digest = await computeDashboardDigest();
if (!bundler || digest === undefined) {
  console.error("The packages that build the dashboard are not installed. Run: npm ci");
  process.exit(1);
}
const folder = join(PROJECT_ROOT, "dashboard", "dist");
await mkdir(folder, { recursive: true });
const started = performance.now();
const { assets, page } = await buildDashboard(bundler, { folder, digest });
const seconds = ((performance.now() - started) / 1_000).toFixed(1);
const every = assets.filter((name) => page.includes(`/assets/${name}`));
console.log(`dashboard/dist: ${assets.length} files in ${seconds} s, compressed
on every page     ${await measureGzippedKb(every)} KB gzipped, ${every.length} files
editor            ${await measureGzippedKb(listAssets("code-mirror"))} KB
manifest check    ${await measureGzippedKb(listAssets("manifest-findings"))} KB`);

function listAssets(start: string): string[] {
  return assets.filter((name) => name.startsWith(`${start}-`) && name.endsWith(".js"));
}

async function measureGzippedKb(names: string[]): Promise<number> {
  const files = await Promise.all(names.map((name) => stat(join(folder, "assets", `${name}.gz`))));
  return Math.round(files.reduce((sum, { size }) => sum + size, 0) / 1_000);
}
