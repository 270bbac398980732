/** Renders the problem types as an HTML page without scripts or external files. */
import { PROBLEM_TYPES } from "../ground/errors.ts";

/** Returns the page of all problem types, each with an anchor, or of `only` one. */
export function problemsPage(only?: string): string {
  const rows = Object.entries(PROBLEM_TYPES)
    .filter(([name]) => only === undefined || name === only)
    .map(
      ([name, { status, title, retryable }]) =>
        `<tr id="${name}"><td><code>${name}</code></td><td>${status}</td><td>${escape(title)}</td><td>${retryable ? "yes" : "no"}</td></tr>`,
    );
  return page(
    "Problem types",
    `<p>Every refusal is a Problem (RFC 9457). Its <code>detail</code> says what happened and what to do; <code>requestId</code> ` +
      `finds it in the log.</p><table><tr><th>type</th><th>status</th><th>meaning</th><th>retryable</th></tr>${rows.join("")}</table>` +
      `<p>${only === undefined ? "" : '<a href="/docs/problems">All problem types</a> · '}<a href="/docs">API reference</a></p>`,
  );
}

const escape = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

const STYLE =
  "body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a;background:#fff}" +
  "td,th{padding:.2rem .6rem .2rem 0;text-align:left;vertical-align:top}" +
  "@media(prefers-color-scheme:dark){body{color:#ddd;background:#161616}a{color:#8ab4f8}}";

const page = (title: string, content: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
  `<title>Busbar: ${title}</title><link rel="icon" href="data:,"><style>${STYLE}</style><h1>Busbar: ${title}</h1>${content}</html>`;
