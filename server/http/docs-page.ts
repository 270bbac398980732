/** The API reference as one page of plain HTML, made from the OpenAPI document: nothing to load, nothing to run. */
import { PROBLEM_TYPES } from "../ground/errors.ts";
import type { Route } from "./endpoint.ts";

/** Every operation by tag, with its parameters and schemas. */
export function referencePage(routes: Route[]): string {
  const tags = [...new Set(routes.map((entry) => entry.endpoint.tag))];
  const sections = tags.map((tag) => {
    const own = routes.filter((entry) => entry.endpoint.tag === tag);
    return `<h2 id="${slug(tag)}">${escape(tag)}</h2>${own.map(operation).join("")}`;
  });
  const nav = tags.map((tag) => `<a href="#${slug(tag)}">${escape(tag)}</a>`).join(" · ");
  return page(
    "API reference",
    `<p>Send an API key in <code>X-Api-Key</code>. The same as a document: <a href="/openapi.json">openapi.json</a>. ` +
      `What a refusal means: <a href="/docs/problems">problem types</a>.</p><nav>${nav}</nav>${sections.join("")}`,
  );
}

/** Every problem type, each with an anchor; `only` shows one. */
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
      `<p><a href="/docs">API reference</a></p>`,
  );
}

function operation({ method, path, audience, endpoint }: Route): string {
  const { summary, description, query, body, success } = endpoint;
  const parts = [
    description && `<p>${escape(description).replaceAll(/`([^`]+)`/g, "<code>$1</code>")}</p>`,
    query && `<h4>Query</h4><pre>${schema(query)}</pre>`,
    body && `<h4>Body</h4><pre>${schema(body)}</pre>`,
    `<h4>${success.status}</h4><pre>${success.schema ? schema(success.schema) : "no body"}</pre>`,
  ];
  return (
    `<details><summary><b>${method}</b> <code>${escape(path)}</code> ${escape(summary)} <small>${audience}</small></summary>` +
    `${parts.filter(Boolean).join("")}</details>`
  );
}

const schema = (value: unknown): string => escape(JSON.stringify(value, null, 2));
const slug = (text: string): string => text.toLowerCase().replaceAll(/\W+/g, "-");
const escape = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

const STYLE =
  "body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a;background:#fff}" +
  "summary{cursor:pointer;padding:.3rem 0}summary b{display:inline-block;width:4.2rem}small{color:#666}" +
  "pre{background:#f5f5f5;padding:.8rem;overflow:auto;max-height:24rem;font-size:12px}td,th{padding:.2rem .8rem;text-align:left}" +
  "@media(prefers-color-scheme:dark){body{color:#ddd;background:#161616}pre{background:#222}a{color:#8ab4f8}}";

const page = (title: string, content: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
  `<title>Busbar: ${title}</title><style>${STYLE}</style><h1>Busbar: ${title}</h1>${content}</html>`;
