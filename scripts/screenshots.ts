/** `npm run screenshots [FOLDER]`: takes a picture of every page of the dashboard, light and dark, wide and narrow. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { listPages } from "../tests/dashboard/list-pages.ts";
import { openDashboard } from "../tests/dashboard/open-dashboard.ts";

const folder = process.argv[2] ?? "screenshots";
const WIDTHS = [1_280, 360];
const SCHEMES = ["light", "dark"] as const;

await mkdir(folder, { recursive: true });
const on = await openDashboard();
const visit = await on.visit();
const pages = [{ route: "/sign-in", path: "/sign-in" }, ...(await listPages(on))];
for (const { route, path } of pages) {
  await visit.open(path);
  const name = route.replaceAll(/[^a-z]+/g, "-").replaceAll(/^-|-$/g, "") || "overview";
  for (const width of WIDTHS) {
    for (const colorScheme of SCHEMES) {
      await visit.page.setViewportSize({ width, height: 800 });
      await visit.page.emulateMedia({ colorScheme });
      await visit.page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`) });
    }
  }
}
await on.close();
console.log(`${pages.length} pages in ${folder}`);
