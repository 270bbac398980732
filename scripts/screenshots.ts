/** `npm run screenshots [FOLDER]`: takes a picture of every page and tab of the dashboard, light and dark, wide and narrow. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { installReader } from "../tests/dashboard/install-reader.ts";
import { openEachTab, listPages } from "../tests/dashboard/list-pages.ts";
import { openDashboard } from "../tests/dashboard/open-dashboard.ts";

const folder = process.argv[2] ?? "screenshots";
const WIDTHS = [1_280, 360];
const SCHEMES = ["light", "dark"] as const;

await mkdir(folder, { recursive: true });
const busbar = await openDashboard();
const visit = await busbar.visit();
const pages = [
  { route: "/sign-in", path: "/sign-in" },
  ...(await listPages(busbar)),
  { route: "/installation-that-reads", path: `/projects/default${await installReader(busbar)}` },
];
for (const { route, path } of pages) {
  await visit.open(path);
  const name = getName(route) || "overview";
  await openEachTab(visit, (tab) => takePictures(tab === undefined ? name : `${name}-tab-${getName(tab)}`));
}
await busbar.close();
console.log(`${pages.length} pages in ${folder}`);

function getName(words: string): string {
  return words
    .toLowerCase()
    .replaceAll(/[^a-z]+/g, "-")
    .replaceAll(/^-|-$/g, "");
}

async function takePictures(name: string): Promise<void> {
  for (const width of WIDTHS) {
    for (const colorScheme of SCHEMES) {
      await visit.page.setViewportSize({ width, height: 800 });
      await visit.page.emulateMedia({ colorScheme });
      await visit.page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`) });
    }
  }
}
