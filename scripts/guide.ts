/**
 * `npm run guide -- --out DIR`: writes the guide as static files, for any web server or none: a page of HTML and its Markdown each, a search
 * that runs in the browser, and the description of the API. Every link is relative.
 */
import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { getCallersFolder } from "../ground/config.ts";
import { renderGuidePage, renderLlmsText, PAGE_PROGRAM, searchPage } from "../server/guide/guide-pages.ts";
import { openGuide } from "../server/guide/open-guide.ts";

const ROOT = join(import.meta.dirname, "..");
const FIRST_PAGE = "getting-started";
const { values } = parseArgs({ options: { out: { type: "string", default: join(ROOT, "dist/guide") } } });

/** The search of the server, on the same sections; texts are set as texts, never as markup. */
const SEARCH_PROGRAM = `
import { cutExcerpt, openSearch } from "./server/guide/search-sections.ts";
const query = new URLSearchParams(location.search).get("q") ?? "";
document.querySelector("input[type=search]").value = query;
const found = query.trim() === "" ? [] : openSearch(globalThis.guideSections)(query, 30);
const article = document.querySelector("article");
if (query.trim() !== "") article.querySelector("p").textContent = found.length > 0 ? "" : "Nothing fits. Try fewer or other words.";
for (const section of found) {
  const heading = document.createElement("h2");
  const link = document.createElement("a");
  link.href = section.page + ".html" + (section.anchor && "#" + encodeURIComponent(section.anchor));
  link.textContent = section.title;
  heading.append(link);
  const text = document.createElement("p");
  text.textContent = section.pageTitle + ": " + cutExcerpt(section);
  article.append(heading, text);
}
`;

/** The server's content security policy: nothing from elsewhere, no inline script. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; form-action 'self'";

const out = resolve(getCallersFolder() ?? ".", values.out);
await rm(out, { recursive: true, force: true });
const guide = await openGuide();
for (const page of guide.pages.values()) {
  const html = String(renderGuidePage(guide, page).content);
  await write(`${page.name}.html`, makeLinksRelative(html, page.name));
  await write(`${page.name}.md`, page.markdown);
}
const scripts = `<script src="search-sections.js"></script><script src="search.js"></script>`;
const search = makeLinksRelative(String(searchPage(guide, "").content), "search");
await write("search.html", search.replace("</body>", `${scripts}</body>`));
await write("search-sections.js", `globalThis.guideSections=${JSON.stringify(guide.sections)};\n`);
await write("page.js", PAGE_PROGRAM);
await write(
  "index.html",
  `<!doctype html><meta http-equiv="refresh" content="0; url=${FIRST_PAGE}.html"><title>Busbar</title>\n`,
);
await write(
  "llms.txt",
  renderLlmsText(guide).replaceAll("](/docs/guide/", "](").replaceAll("](/openapi.json", "](openapi.json"),
);
await cp(join(ROOT, "openapi.json"), join(out, "openapi.json"));
await build({
  stdin: { contents: SEARCH_PROGRAM, resolveDir: ROOT, loader: "js" },
  absWorkingDir: ROOT,
  outfile: join(out, "search.js"),
  bundle: true,
  minify: true,
  format: "iife",
  logLevel: "warning",
});
console.log(`${relative(process.cwd(), out) || "."}: ${guide.pages.size} pages`);

/** Makes the links of a served page relative, and leaves out what only a server gives: nonces, and pages that are none here. */
function makeLinksRelative(html: string, name: string): string {
  const up = "../".repeat(name.split("/").length - 1);
  return html
    .replaceAll(/ nonce="[^"]*"/g, "")
    .replace(`<script>\n${PAGE_PROGRAM}\n</script>`, `<script src="${up}page.js"></script>`)
    .replace(
      "<meta charset",
      `<meta http-equiv="content-security-policy" content="${POLICY}">\n<meta charset`,
    )
    .replaceAll(
      /(href|action)="\/docs\/guide\/([^"#]+)(#[^"]*)?"/g,
      (_, attribute: string, path: string, anchor = "") => {
        const file = path.endsWith(".md") ? path : `${path}.html`;
        return `${attribute}="${up}${file}${anchor}"`;
      },
    )
    .replaceAll(`href="/docs/problems"`, `href="${up}errors.html"`)
    .replaceAll(`href="/docs"`, `href="${up}openapi.json"`)
    .replaceAll(`href="/"`, `href="${up}index.html"`);
}

async function write(file: string, text: string): Promise<void> {
  await mkdir(dirname(join(out, file)), { recursive: true });
  await writeFile(join(out, file), text);
}
