/** The problem types as HTML pages without scripts: what the `type` of a Problem links to. */
import { PROBLEM_TYPES, type ProblemType } from "../ground/problem-types.ts";

/** Returns the list of all problem types. */
export function problemTypesPage(): string {
  const rows = Object.entries(PROBLEM_TYPES).map(
    ([slug, { status, title, retryable }]) =>
      `<tr><td><a href="/docs/problems/${slug}"><code>${slug}</code></a></td><td>${status}</td>` +
      `<td>${escape(title)}</td><td>${retryable ? "yes" : "no"}</td></tr>`,
  );
  return page(
    "Problem types",
    `<p>Every error is a Problem (RFC 9457). Its <code>detail</code> says what happened and what to do; ` +
      `<code>requestId</code> finds it in the log.</p><div class="wide"><table><tr><th>type</th><th>status</th>` +
      `<th>title</th><th>retry</th></tr>${rows.join("")}</table></div>` +
      `<p><a href="/docs">API reference</a></p>`,
  );
}

/** Returns the page of one problem type, or undefined for an unknown one. */
export function problemTypePage(slug: string): string | undefined {
  const types: Record<string, ProblemType> = PROBLEM_TYPES;
  const type = Object.hasOwn(types, slug) ? types[slug] : undefined;
  if (!type) return undefined;
  return page(
    type.title,
    `<p><code>${slug}</code>, HTTP status ${type.status}</p>` +
      `<h2>Causes</h2><p>${code(type.causes)}</p><h2>What to do</h2><p>${code(type.remedy)}</p>` +
      `<p>${RETRY[type.retryable ? "yes" : "no"]}</p>` +
      `<p><a href="/docs/problems">All problem types</a> · <a href="/docs">API reference</a></p>`,
  );
}

const RETRY = {
  yes: "The same request may succeed later. If the Problem has <code>retryAfter</code>, wait until then.",
  no: "The same request fails again, unless the Problem has <code>retryable: true</code>.",
};

const escape = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

const code = (text: string): string => escape(text).replaceAll(/`([^`]+)`/g, "<code>$1</code>");

const STYLE =
  "body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a;background:#fff}" +
  "td,th{padding:.2rem .6rem .2rem 0;text-align:left;vertical-align:top}h2{font-size:1.1rem}.wide{overflow-x:auto}" +
  "@media(prefers-color-scheme:dark){body{color:#ddd;background:#161616}a{color:#8ab4f8}}";

const page = (title: string, content: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">` +
  `<title>Busbar: ${escape(title)}</title><link rel="icon" href="data:,"><style>${STYLE}</style><h1>${escape(title)}</h1>${content}</html>`;
