/** The guide as HTML: one page of Markdown each, its chapters beside it, and what a search found. */
import { posix } from "node:path";
import MarkdownIt, { type Token } from "markdown-it";
import type { Page } from "../http/endpoint.ts";
import { escapeHtml, renderStyledPage } from "../http/styled-page.ts";
import { CHAPTERS, createAnchors, type Guide, type GuidePage } from "./open-guide.ts";
import { renderLanguageTabs, TABS_PROGRAM } from "./language-tabs.ts";
import { dropLinks, cutExcerpt, type Section } from "./search-sections.ts";

/**
 * Gives each block of code a button that copies it. Browsers let a page copy only when it comes from this machine or by HTTPS: elsewhere there
 * is no button.
 */
const COPY_PROGRAM = `if (navigator.clipboard) for (const code of document.querySelectorAll("article pre")) {
  const button = document.createElement("button");
  const word = (text) => { button.textContent = text; };
  word("Copy");
  button.type = "button";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(code.textContent).then(() => word("Copied"), () => word("Not copied"));
    setTimeout(word, 2000, "Copy");
  });
  const figure = document.createElement("figure");
  code.replaceWith(figure);
  figure.append(code, button);
}
`;

/** The script of every page of the guide. */
export const PAGE_PROGRAM = `${TABS_PROGRAM}${COPY_PROGRAM}`;

/** Returns one page of the guide. */
export function renderGuidePage(guide: Guide, page: GuidePage): Page {
  const article = guide.articles.get(page.name) ?? renderArticle(guide, page);
  guide.articles.set(page.name, article);
  return renderLayout(guide, page.name, page.title, article);
}

function renderArticle(guide: Guide, page: GuidePage): string {
  const markdown = new MarkdownIt({ html: false, linkify: false });
  const anchors = createAnchors();
  markdown.core.ruler.push("guide", ({ tokens }) => {
    for (const [index, token] of tokens.entries()) {
      if (token.type === "heading_open") token.attrSet("id", anchors(tokens[index + 1]?.content ?? ""));
      if (token.children) token.children = linkPages(guide, page, token.children);
    }
  });
  renderLanguageTabs(markdown, guide.clientForms);
  markdown.renderer.rules["table_open"] = () => `<div class="wide" tabindex="0"><table>`;
  markdown.renderer.rules["table_close"] = () => `</table></div>`;
  const text = makeReachable(markdown.render(page.markdown));
  return `${text}<p class="soft small"><a href="/docs/guide/${page.name}.md">This page as Markdown</a></p>`;
}

/** Lets the keyboard scroll code that is wider than the screen, and leaves out headings of columns that have no words. */
const makeReachable = (html: string): string =>
  html
    .replaceAll("<pre>", `<pre tabindex="0">`)
    .replaceAll(/<thead>\s*<tr>\s*(?:<th><\/th>\s*)+<\/tr>\s*<\/thead>\s*/g, "")
    .replaceAll("<th></th>", "<td></td>");

/** Returns the page that lists what was found. */
export function searchPage(guide: Guide, query: string): Page {
  const found = query.trim() === "" ? [] : guide.search(query, 30);
  const rows = found.map(
    (section) =>
      `<h2><a href="${toSectionPath(section)}">${escapeHtml(section.title)}</a></h2>` +
      `<p><span class="soft">${escapeHtml(section.pageTitle)}</span><br>${escapeHtml(cutExcerpt(section))}</p>`,
  );
  const none = query.trim() === "" ? "Type what you look for." : "Nothing fits. Try fewer or other words.";
  const main = `<h1>Search</h1>${rows.join("") || `<p>${none}</p>`}`;
  return renderLayout(guide, undefined, query.trim() === "" ? "Search" : `Search: ${query}`, main, query);
}

/** Returns the list of pages for language models, as llmstxt.org describes it. */
export function renderLlmsText({ pages }: Guide): string {
  const line = ({ name, title, markdown }: GuidePage) =>
    `- [${title}](/docs/guide/${name}.md): ${findFirstSentence(markdown)}`;
  const chapters = CHAPTERS.map(({ title, pages: names }) => {
    const rows = names.flatMap((name) => pages.get(name) ?? []).map(line);
    return `## ${title}\n\n${rows.join("\n")}`;
  });
  const providers = [...pages.values()].filter(({ name }) => isProvider(name)).map(line);
  return `# Busbar

> A self-hosted integration platform: an application reads and writes records in its customers' SaaS accounts, is told of changes, and
> calls any endpoint of the providers through an authenticated proxy.

${chapters.join("\n\n")}

## Optional

- [API](/openapi.json): the OpenAPI description of every operation
${providers.join("\n")}
`;
}

/** Returns the address of a section below that of the server. */
export const toSectionPath = ({ page, anchor }: Section): string =>
  `/docs/guide/${page}${anchor && `#${encodeURIComponent(anchor)}`}`;

const isProvider = (name: string): boolean => name.startsWith("providers/") && name !== "providers/README";

function findFirstSentence(markdown: string): string {
  const paragraph = markdown
    .split(/\n\n+/)
    .find((part) => !/^(#|\||```|>)/.test(part.trim()) && part.trim() !== "");
  const text = dropLinks(paragraph ?? "").replaceAll(/\s+/g, " ");
  return (/^.*?[.:](?= |$)/.exec(text)?.[0] ?? text).replace(/:$/, ".");
}

/** Returns the tokens of a paragraph whose links between files lead to pages; a file that is no page is named without a link. */
function linkPages(guide: Guide, page: GuidePage, tokens: Token[]): Token[] {
  let isDropped = false;
  return tokens.filter((token) => {
    if (token.type === "link_close") return !isDropped;
    if (token.type !== "link_open") return true;
    const path = toPagePath(guide, page, String(token.attrGet("href") ?? ""));
    isDropped = path === undefined;
    if (path !== undefined) token.attrSet("href", path);
    return !isDropped;
  });
}

/** Returns the address of what a link of a page leads to; undefined for a file that is no page. */
function toPagePath(guide: Guide, page: GuidePage, target: string): string | undefined {
  if (/^([a-z]+:|\/|#)/i.test(target)) return target;
  const [path = "", anchor] = target.split("#");
  const from = page.name.startsWith("providers/") ? page.name : `guide/${page.name}`;
  const name = posix
    .join(posix.dirname(from), path)
    .replace(/^guide\//, "")
    .replace(/\.md$/, "");
  if (!guide.pages.has(name)) return undefined;
  return `/docs/guide/${name}${anchor ? `#${anchor}` : ""}`;
}

function renderLayout(
  guide: Guide,
  current: string | undefined,
  title: string,
  text: string,
  query = "",
): Page {
  const link = (name: string) => {
    const page = guide.pages.get(name);
    if (!page) return "";
    const isHere = name === current ? ` aria-current="page"` : "";
    return `<li><a href="/docs/guide/${name}"${isHere}>${escapeHtml(page.title)}</a></li>`;
  };
  const chapters = CHAPTERS.map(
    ({ title: chapter, pages }) => `<h2>${chapter}</h2><ul>${pages.map(link).join("")}</ul>`,
  );
  const main =
    `<form action="/docs/guide/search"><input type="search" name="q" aria-label="Search the guide" ` +
    `placeholder="Search the guide" value="${escapeHtml(query)}"><a class="pages" href="#pages">Pages</a></form>` +
    `<article>${text}</article>` +
    `<nav id="pages" aria-label="Guide">${chapters.join("")}<h2>Reference</h2><ul><li><a href="/docs">API</a></li>` +
    `<li><a href="/docs/problems">Problem types</a></li></ul></nav>`;
  const script = text.includes("<pre") ? PAGE_PROGRAM : undefined;
  const page = { status: 200, title: `${title} · Busbar`, main, formTargets: "", ...(script && { script }) };
  return renderStyledPage({ ...page, layout: "guide" });
}
