/** The problem types as HTML pages without scripts: what the `type` of a Problem links to. */
import { PROBLEM_TYPES, type ProblemType } from "../../ground/problem-types.ts";
import type { Page } from "./endpoint.ts";
import { escapeHtml, renderStyledPage } from "./styled-page.ts";

/** Returns the list of all problem types. */
export function renderProblemTypesPage(): Page {
  const rows = Object.entries(PROBLEM_TYPES).map(
    ([slug, { status, title, retryable }]) =>
      `<tr><td><a href="/docs/problems/${slug}"><code>${slug}</code></a></td><td>${status}</td>` +
      `<td>${escapeHtml(title)}</td><td>${retryable ? "yes" : "no"}</td></tr>`,
  );
  return renderPage(
    "Problem types",
    `<p>Every error is a Problem (RFC 9457). Its <code>detail</code> says what happened and what to do; ` +
      `<code>requestId</code> finds it in the log.</p><div class="wide"><table><tr><th>type</th><th>status</th>` +
      `<th>title</th><th>retry</th></tr>${rows.join("")}</table></div>` +
      `<p><a href="/docs/guide/errors">Errors in the guide</a> · <a href="/docs">API reference</a></p>`,
  );
}

/** Returns the page of one problem type, or undefined for an unknown one. */
export function renderProblemTypePage(slug: string): Page | undefined {
  const types: Record<string, ProblemType> = PROBLEM_TYPES;
  const type = Object.hasOwn(types, slug) ? types[slug] : undefined;
  if (!type) return undefined;
  return renderPage(
    type.title,
    `<p><code>${slug}</code>, HTTP status ${type.status}</p>` +
      `<h2>Causes</h2><p>${renderCode(type.causes)}</p><h2>What to do</h2><p>${renderCode(type.remedy)}</p>` +
      `<p>${RETRY[type.retryable ? "yes" : "no"]}</p>` +
      `<p>In the guide: ${listGuideLinks(type)}</p>` +
      `<p><a href="/docs/problems">All problem types</a> · <a href="/docs">API reference</a></p>`,
  );
}

const listGuideLinks = ({ guide }: ProblemType): string =>
  [...(guide ? [guide] : []), "errors"]
    .map((name) => `<a href="/docs/guide/${name}">${name.replaceAll("-", " ")}</a>`)
    .join(" · ");

const RETRY = {
  yes: "The same request may succeed later. If the Problem has <code>retryAfter</code>, wait until then.",
  no: "The same request fails again, unless the Problem has <code>retryable: true</code>.",
};

const renderCode = (text: string): string => escapeHtml(text).replaceAll(/`([^`]+)`/g, "<code>$1</code>");

const renderPage = (title: string, content: string): Page =>
  renderStyledPage({
    status: 200,
    title: `Busbar: ${title}`,
    main: `<h1>${escapeHtml(title)}</h1>${content}`,
    layout: "document",
  });
