/** The guide as static files: whole without a server, and searched in a browser. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test, type TestContext } from "node:test";
import { gzipSync } from "node:zlib";
import { pathToFileURL } from "node:url";
import { assertAccessible } from "../tests/journeys/react-components/assert-accessible.ts";
import { launchBrowser, NO_CHROMIUM, PAGE_TIMEOUT_MS } from "../tests/harness/chromium.ts";

let out: string;
let browser: Awaited<ReturnType<typeof launchBrowser>> | undefined;
before(async () => {
  out = await mkdtemp(join(tmpdir(), "busbar-guide-"));
  execFileSync(process.execPath, [join(import.meta.dirname, "guide.ts"), "--out", out]);
  if (!NO_CHROMIUM) browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await rm(out, { recursive: true, force: true });
});

/** Opens a page of a profile of its own. */
async function openPage(t: TestContext, viewport = { width: 1_280, height: 800 }) {
  assert.ok(browser);
  const page = await browser.newPage({ viewport });
  t.after(() => page.close());
  page.setDefaultTimeout(PAGE_TIMEOUT_MS);
  return page;
}

const read = (file: string): string => readFileSync(join(out, file), "utf8");

test("every link leads to a file that was written and a heading in it, and none to a server", () => {
  const pages = globSync("**/*.html", { cwd: out });
  assert.ok(pages.length > 80, String(pages.length));
  const wrong = pages.flatMap((page) =>
    [...read(page).matchAll(/ (?:href|src|action)="([^"]*)"/g)]
      .map(([, target = ""]) => target)
      .filter((target) => !/^(https?:\/\/|data:|mailto:)/.test(target))
      .filter((target) => {
        const [path = "", anchor] = target.split("#");
        const file = path === "" ? page : join(dirname(page), path);
        if (path.startsWith("/") || !existsSync(join(out, file))) return true;
        return anchor !== undefined && !read(file).includes(` id="${decodeURIComponent(anchor)}"`);
      })
      .map((target) => `${page}: ${target}`),
  );
  assert.deepEqual(wrong, []);
});

test("no page and what it loads has more than 300 KB compressed", () => {
  const size = (file: string): number => gzipSync(read(file)).length;
  const loaded = (page: string): string[] =>
    [...read(page).matchAll(/ src="([^"]*)"/g)].map(([, file = ""]) => file);
  for (const page of globSync("*.html", { cwd: out })) {
    const bytes = [page, ...loaded(page)].reduce((sum, file) => sum + size(file), 0);
    assert.ok(bytes < 300_000, `${page}: ${bytes}`);
  }
});

test(
  "the search finds a section from a file in a browser, and shows its text as text",
  { skip: NO_CHROMIUM },
  async (t) => {
    const page = await openPage(t);
    const refused: string[] = [];
    page.on("console", (message) => message.type() === "error" && refused.push(message.text()));
    await page.goto(pathToFileURL(join(out, "reading.html")).href);
    await page.getByRole("searchbox").fill("signing key");
    await page.keyboard.press("Enter");
    const found = page.locator("article h2 a");
    await found.first().waitFor();
    const hrefs = await found.evaluateAll((links) => links.map((link) => link.getAttribute("href") ?? ""));
    assert.ok(
      hrefs.some((href) => href.startsWith("events.html#")),
      String(hrefs),
    );
    await found.first().click();
    await page.waitForURL((url) => url.href.endsWith(hrefs[0] ?? "none"));
    await page.goto(
      `${pathToFileURL(join(out, "search.html")).href}?q=${encodeURIComponent("<b>zzzqqq</b>")}`,
    );
    assert.equal(await page.locator("article b").count(), 0);
    assert.deepEqual(refused, []);
  },
);

test(
  "a language that is chosen, by keyboard too, is chosen in every block and on the next page",
  { skip: NO_CHROMIUM },
  async (t) => {
    const page = await openPage(t);
    const refused: string[] = [];
    page.on("console", (message) => message.type() === "error" && refused.push(message.text()));
    const open = (name: string) => page.goto(pathToFileURL(join(out, `${name}.html`)).href);
    const shown = () => page.locator(".tabs pre:visible").allTextContents();
    await open("writing-records");
    const first = await shown();
    assert.ok(first.length > 4 && first.every((text) => text.includes("curl ")), first.join());
    await page.locator(".tabs input").first().focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    const python = await shown();
    assert.equal(python.length, first.length);
    assert.ok(
      python.every((text) => text.includes("print(busbar.") || text.includes("= busbar.")),
      python.join(),
    );
    await open("events");
    assert.match((await shown())[0] ?? "", /^destination = busbar\.create_destination\(/);
    assert.deepEqual(refused, []);
  },
);

test("axe finds nothing, light or dark, on a screen or a phone", { skip: NO_CHROMIUM }, async (t) => {
  for (const width of [1_280, 390]) {
    const page = await openPage(t, { width, height: 800 });
    for (const name of ["reading", "clients", "quickstart-nextjs", "provider-format", "providers/hubspot"]) {
      await page.goto(pathToFileURL(join(out, `${name}.html`)).href);
      await assertAccessible({ page }, { isSeenElsewhere: width < 1_280 });
    }
  }
});
