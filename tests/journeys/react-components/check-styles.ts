/** Checks that the components look the same after a builder's tool has rewritten their styles for older browsers. */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { build } from "vite";

const STYLES = join(import.meta.dirname, "../../../clients/react/src/styles.css");
// "Next.js supports modern browsers with zero configuration" (nextjs.org/docs, Supported Browsers, of version 16).
const CSS_TARGET = ["chrome111", "edge111", "firefox111", "safari16.4"];
const ELEMENTS =
  '<section class="busbar"><button class="busbar-button busbar-main">a</button><p class="busbar-bad">b</p></section>';

const COLOURS = `[...document.querySelectorAll(".busbar, .busbar *")].flatMap((element) => {
  const { borderTopColor, backgroundColor, color } = getComputedStyle(element);
  return [borderTopColor, backgroundColor, color];
})`;

/** Returns the colours of the elements, once for a light and once for a dark page. */
async function computeColours(browser: Browser, css: string): Promise<Record<string, string[]>> {
  const page = await browser.newPage();
  try {
    const colours: Record<string, string[]> = {};
    for (const scheme of ["light", "dark"]) {
      await page.setContent(`<style>:root { color-scheme: ${scheme} } ${css}</style>${ELEMENTS}`);
      colours[scheme] = await page.evaluate(COLOURS);
    }
    return colours;
  } finally {
    await page.close();
  }
}

/** Compares the styles with what Vite's and Next.js's tool, Lightning CSS, makes of them. */
export async function checkStyles(browser: Browser, css: string): Promise<void> {
  const input = { rollupOptions: { input: STYLES }, write: false } as const;
  const made = await build({
    configFile: false,
    logLevel: "error",
    build: { ...input, cssMinify: "lightningcss", cssTarget: CSS_TARGET },
  });
  assert.ok("output" in made);
  const asset = made.output.find(({ fileName }) => fileName.endsWith(".css"));
  assert.ok(asset?.type === "asset");
  const own = await computeColours(browser, css);
  assert.notDeepEqual(own["light"], own["dark"]);
  assert.deepEqual(await computeColours(browser, String(asset.source)), own);
}
