/** Every page: accessible, within its width, with one heading and a title, and without anything foreign. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import type { Suite } from "../run-suites.ts";
import { installReader } from "../install-reader.ts";
import { openEachTab, listPages } from "../list-pages.ts";
import type { Visit } from "../open-dashboard.ts";

const ALL_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
/** Rules about colours. The other rules do not depend on the scheme. */
const COLOURS = { type: "rule", values: ["color-contrast", "link-in-text-block"] };
const VIEWS = [
  { scheme: "light", width: 1_280, rules: ALL_RULES },
  { scheme: "dark", width: 360, rules: ALL_RULES },
] as const;
/** With what a narrow window hides: the navigation and heads of tables, which are the same on every page, some columns, and fields of filters. */
const WITH_HIDDEN = [{ scheme: "dark", width: 1_280, rules: COLOURS }, ...VIEWS] as const;

type View = (typeof WITH_HIDDEN)[number];

/** A busy machine looks at all pages for longer than one test may take. */
const PARTS = 4;

export const suite: Suite = (server) => {
  for (let part = 0; part < PARTS; part++) {
    test(`every page and tab, light and dark, wide and narrow: axe, width, heading, title, policy (${part + 1} of ${PARTS})`, async () => {
      const visit = await server().visit();
      const faults: string[] = [];
      const pages = (await listPages(server())).filter((_page, index) => index % PARTS === part);
      for (const [index, { path, title }] of pages.entries()) {
        await (index === 0 ? visit.open(path) : visit.follow(path));
        // So the address is the page's, and a reload shows the same.
        const { pathname } = new URL(visit.page.url());
        if (pathname !== path) faults.push(`${path}: leads to ${pathname}`);
        await openEachTab(visit, async (tab) => {
          const place = tab === undefined ? path : `${path} ${tab}`;
          const hidden = visit.page.locator('[data-line="none"], [data-opened="false"]');
          const views = index === 0 || (await hidden.count()) > 0 ? WITH_HIDDEN : VIEWS;
          faults.push(...(await findFaultsInViews(visit, title, views)).map((fault) => `${place}: ${fault}`));
          await visit.page.setViewportSize({ width: 1_280, height: 800 });
        });
      }
      await visit.close();
      assert.deepEqual(faults, []);
      visit.assertUntroubled();
    });
  }

  test("the tabs of an installation that reads and subscribes: axe in light and dark, wide and narrow", async () => {
    const visit = await server().visit();
    const faults: string[] = [];
    await visit.open(`/projects/default${await installReader(server())}`);
    await openEachTab(visit, async (tab = "Operations") => {
      faults.push(...(await findFaultsInViews(visit, "people · default")).map((fault) => `${tab}: ${fault}`));
      await visit.page.setViewportSize({ width: 1_280, height: 800 });
    });
    assert.deepEqual(faults, []);
    await visit.closeUntroubled();
    await server().busbar.inProject("DELETE", "/integrations/people");
  });

  test("the sign-in page: axe in light and dark, wide and narrow", async () => {
    const visit = await server().visitSignedOut();
    await visit.open("/sign-in");
    await visit.page.getByLabel("API key", { exact: true }).waitFor();
    assert.deepEqual(await findFaultsInViews(visit, "Sign in · Busbar"), []);
    await visit.closeUntroubled();
  });
};

async function findFaultsInViews(
  visit: Visit,
  title: string,
  views: readonly View[] = WITH_HIDDEN,
): Promise<string[]> {
  const faults: string[] = [];
  axe ??= readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
  // A script tag would break the page's policy, so axe is evaluated; it stays while tabs change.
  if (!(await visit.page.evaluate("'axe' in window"))) await visit.page.evaluate(axe);
  for (const { scheme, width, rules } of views) {
    await visit.page.setViewportSize({ width, height: 800 });
    await visit.page.emulateMedia({ colorScheme: scheme });
    faults.push(...(await listFaults(visit, title, rules)).map((fault) => `${scheme} ${width} px: ${fault}`));
  }
  return faults;
}

const require = createRequire(import.meta.url);
let axe: string | undefined;

interface AxeResult {
  violations: { id: string; help: string; nodes: { html: string; failureSummary: string }[] }[];
}

interface Drawn {
  headings: number;
  /** How many pixels the page is wider than the window. */
  wide: number;
  shown: string;
}

async function listFaults({ page }: Visit, title: string, rules: object): Promise<string[]> {
  const { violations }: AxeResult = await page.evaluate(
    `axe.run(document, { runOnly: ${JSON.stringify(rules)}, resultTypes: ["violations"] })`,
  );
  const faults = violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join("\n")}`,
  );
  // As text, because this file is checked without the types of browsers.
  const { headings, wide, shown }: Drawn = await page.evaluate(`({
    headings: document.querySelectorAll("h1").length,
    wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    shown: document.title,
  })`);
  if (headings !== 1) faults.push(`${headings} h1`);
  if (wide > 0) faults.push(`${wide} px too wide`);
  if (!shown.includes(title)) faults.push(`the title is ${shown}`);
  return faults;
}
