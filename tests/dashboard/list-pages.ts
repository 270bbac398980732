/** Every page of the site map, with an address that leads to something. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Dashboard, Visit } from "./open-dashboard.ts";

interface SitePage {
  /** Route in the site map: `/connections/$id`. */
  route: string;
  path: string;
  /** A part of the title. */
  title: string;
}

const ROUTES = join(import.meta.dirname, "..", "..", "dashboard", "routes.tsx");

/**
 * Returns the pages, read from the site map, so that no page is left out. A route with parameters must have an example in
 * `EXAMPLES`.
 */
export async function listPages(dashboard: Dashboard): Promise<SitePage[]> {
  const text = readFileSync(ROUTES, "utf8");
  const routes = [...text.matchAll(/route(?:In|For)(Project|Person)\(\s*"([^"]+)"/g)].map(
    ([, below, path = ""]) => ({
      below,
      route: path,
    }),
  );
  assert.ok(routes.some(({ below }) => below === "Person") && routes.length > 20, "the site map is read");
  const pages: SitePage[] = [];
  for (const { below, route } of routes) {
    const found = await fillPath(dashboard, route);
    const start = below === "Project" ? "/projects/default" : "";
    pages.push({
      route,
      path: (start + found).replace(/(?<=.)\/$/, ""),
      title: below === "Project" ? "· default · Busbar" : "· Busbar",
    });
  }
  return pages;
}

const getOrgId = async ({ busbar }: Dashboard): Promise<string> => busbar.server.bootstrap?.orgId ?? "";

/** Returns the parameters of a route, by the part of the path before them. */
const EXAMPLES: Record<string, (dashboard: Dashboard) => Promise<string>> = {
  "/operations/$id": async ({ busbar }) =>
    (await busbar.inProject("GET", "/operations?status=failure")).body.results[0].id,
  "/customers/$ref": async () => "foreign",
  "/integrations/$name/installations/$id": async ({ busbar }) =>
    `hubspot ${(await busbar.inProject("GET", "/installations:search?groupRef=foreign")).body.results[0].id}`,
  "/integrations/$name/installations/$id/records/$object/$record": async ({ busbar }) =>
    `hubspot ${(await busbar.inProject("GET", "/installations:search?groupRef=foreign")).body.results[0].id} contacts 404404`,
  "/integrations/$name": async ({ busbar }) => (await busbar.inProject("GET", "/integrations")).body[0].name,
  "/orgs/$org/people": getOrgId,
  "/orgs/$org/projects": getOrgId,
  "/orgs/$org/domains": getOrgId,
  "/orgs/$org/audit": getOrgId,
  "/destinations/$name": async ({ busbar }) => (await busbar.inProject("GET", "/destinations")).body[0].name,
  "/destinations/$name/deliveries/$id": async ({ busbar }) => {
    const { id, destinationName } = (await busbar.inProject("GET", "/deliveries:search")).body.results[0];
    return `${destinationName} ${id}`;
  },
  "/providers/$key": async ({ busbar }) => {
    const apiKeyOpts = { attachmentType: "header", header: { name: "X-Quill-Key" } };
    const quill = { authType: "apiKey", baseURL: "https://api.quill.example", apiKeyOpts };
    return (await busbar.inProject("PUT", "/providers/x-quill", quill)).body.key;
  },
  "/approvals/$id": async ({ busbar }) => (await busbar.inProject("GET", "/approvals")).body.results[0].id,
  "/connections/$id": async ({ busbar }) => (await busbar.inProject("GET", "/connections")).body[0].id,
};

async function fillPath(dashboard: Dashboard, route: string): Promise<string> {
  if (!route.includes("$")) return route;
  const example = EXAMPLES[route];
  if (!example) throw new Error(`tests/dashboard/list-pages.ts has no example for ${route}`);
  const values = (await example(dashboard)).split(" ");
  return route.replaceAll(/\$\w+/g, () => encodeURIComponent(values.shift() ?? ""));
}

/** Looks at an open page, then at each of its further tabs; `tab` is the title of the tab. */
export async function openEachTab(visit: Visit, check: (tab?: string) => Promise<void>): Promise<void> {
  await check();
  // The first tab is the page itself.
  for (const tab of (await visit.page.getByRole("main").getByRole("tab").all()).slice(1)) {
    await tab.click();
    // The panel asks for its rows once it is drawn.
    await visit.page.evaluate(
      "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
    );
    await visit.drawn();
    await check((await tab.textContent()) ?? "");
  }
}
