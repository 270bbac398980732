/** `npm run screenshots [FOLDER]`: takes a picture of every page and tab of the dashboard, light and dark, wide and narrow. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { connectCustomer } from "../tests/harness/connect-customer.ts";
import { listPages } from "../tests/dashboard/list-pages.ts";
import { openDashboard } from "../tests/dashboard/open-dashboard.ts";

const folder = process.argv[2] ?? "screenshots";
const WIDTHS = [1_280, 360];
const SCHEMES = ["light", "dark"] as const;

const MANIFEST = `
specVersion: 1.0.0
integrations:
  - name: people
    provider: hubspot
    read:
      objects:
        - objectName: contacts
          destination: my-app
          schedule: "*/30 * * * *"
          backfill: { defaultPeriod: { fullHistory: true } }
          requiredFields: [{ fieldName: email }]
          optionalFieldsAuto: all
    subscribe:
      objects:
        - objectName: contacts
          destination: my-app
          inheritFieldsAndMapping: true
          createEvent: { enabled: always }
          updateEvent: { enabled: always, requiredWatchFields: [email] }
`;

await mkdir(folder, { recursive: true });
const on = await openDashboard();
const visit = await on.visit();
const pages = [
  { route: "/sign-in", path: "/sign-in" },
  ...(await listPages(on)),
  { route: "/installation-that-reads", path: `/projects/default${await install()}` },
];
for (const { route, path } of pages) {
  await visit.open(path);
  const name = nameOf(route) || "overview";
  await takePictures(name);
  // The first tab is the page itself.
  for (const tab of (await visit.page.getByRole("tab").all()).slice(1)) {
    await tab.click();
    // The panel asks for its rows once it is drawn.
    await visit.page.evaluate(
      "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
    );
    await visit.drawn();
    await takePictures(`${name}-tab-${nameOf((await tab.textContent()) ?? "")}`);
  }
}
await on.close();
console.log(`${pages.length} pages in ${folder}`);

/** Installs an integration that reads and subscribes, and returns its path. */
async function install(): Promise<string> {
  const content = { read: { objects: { contacts: { objectName: "contacts" } } } };
  const wanted = { provider: "hubspot", groupRef: "reader", integration: "people", content } as const;
  const { installationId } = await connectCustomer(on.on, { ...wanted, manifest: MANIFEST });
  return `/integrations/people/installations/${installationId}`;
}

function nameOf(words: string): string {
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
