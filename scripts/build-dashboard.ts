/** `npm run build`: builds the dashboard, for images that are run without development packages, and prints what it weighs. */
import { mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { buildDashboard, findBundler } from "../server/dashboard/build-dashboard.ts";
import { dashboardDigest, ROOT } from "../server/dashboard/dashboard-digest.ts";

const bundler = findBundler();
const digest = await dashboardDigest();
if (!bundler || digest === undefined) {
  console.error("The packages that build the dashboard are not installed. Run: npm ci");
  process.exit(1);
}
const folder = join(ROOT, "dashboard", "dist");
await mkdir(folder, { recursive: true });
const { assets } = await buildDashboard(bundler, { folder, digest });
console.log(`dashboard/dist: ${assets.length} files`);
