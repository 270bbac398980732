/** Looks at a page with axe. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Customer } from "../ui-library/customer.ts";

const AXE = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const COLOURS = ["color-contrast", "link-in-text-block"];
/** Rules by colour scheme: on a dark page only those that depend on colours. */
const RULES = {
  light: { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] },
  dark: { runOnly: { type: "rule", values: COLOURS } },
};
/** For a page whose colours were looked at in another window; they take axe more than all other rules. */
const RULES_OF_LAYOUT = {
  light: { ...RULES.light, rules: Object.fromEntries(COLOURS.map((rule) => [rule, { enabled: false }])) },
};

interface AxeResult {
  violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
}

/** Fails if axe finds anything, on a light or on a dark page. */
export async function assertAccessible(
  { page }: Pick<Customer, "page">,
  { isSeenElsewhere = false } = {},
): Promise<void> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(AXE);
  for (const [scheme, rules] of Object.entries(isSeenElsewhere ? RULES_OF_LAYOUT : RULES)) {
    await page.evaluate(`document.documentElement.style.colorScheme = "${scheme}"`);
    const options = JSON.stringify({ ...rules, resultTypes: ["violations"] });
    const { violations }: AxeResult = await page.evaluate(`axe.run(${options})`);
    const faults = violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${scheme}: ${id}: ${html} ${failureSummary}`),
    );
    assert.deepEqual(faults, []);
  }
}
