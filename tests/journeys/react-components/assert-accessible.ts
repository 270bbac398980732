/** Looks at a page with axe. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Customer } from "../ui-library/customer.ts";

const AXE = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** Rules by colour scheme: on a dark page only those that depend on colours. */
const RULES = {
  light: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
  dark: { type: "rule", values: ["color-contrast", "link-in-text-block"] },
};

interface AxeResult {
  violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
}

/** Fails if axe finds anything, on a light or on a dark page. */
export async function assertAccessible({ page }: Pick<Customer, "page">): Promise<void> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(AXE);
  for (const [scheme, rules] of Object.entries(RULES)) {
    await page.evaluate(`document.documentElement.style.colorScheme = "${scheme}"`);
    const options = JSON.stringify({ runOnly: rules, resultTypes: ["violations"] });
    const { violations }: AxeResult = await page.evaluate(`axe.run(${options})`);
    const faults = violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${scheme}: ${id}: ${html} ${failureSummary}`),
    );
    assert.deepEqual(faults, []);
  }
}
