/** The look of this server's own pages: one HTML document for light and dark, small and large screens, without foreign content. */
import { randomBytes } from "node:crypto";
import { Page } from "./endpoint.ts";

export interface StyledPage {
  status: number;
  title: string;
  /** HTML; texts in it went through `escapeHtml`. */
  main: string;
  script?: string;
  /** Documents are wide and start at the top; other pages are one card. */
  layout: "card" | "document";
  /** Where forms may lead besides this server, as in a Content-Security-Policy. Undefined for a page without a form. */
  formTargets?: string;
  headers?: Record<string, string>;
}

/** Returns the page, with a policy that lets nothing but its own style and script run. */
export function styledPage({ status, title, main, script, layout, formTargets, headers }: StyledPage): Page {
  const nonce = randomBytes(16).toString("base64");
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<style nonce="${nonce}">${STYLE}</style>
</head>
<body class="${layout}">
<main>
${main}
</main>${script ? `\n<script nonce="${nonce}">\n${script}\n</script>` : ""}
</body>
</html>
`;
  const policy = [
    "default-src 'none'",
    ...(script ? [`script-src 'nonce-${nonce}'`] : []),
    `style-src 'nonce-${nonce}'`,
    "img-src data:",
    "base-uri 'none'",
    `form-action ${formTargets === undefined ? "'none'" : `'self' ${formTargets}`.trim()}`,
    "frame-ancestors 'none'",
  ];
  return new Page(html, {
    status,
    // No Cross-Origin-Opener-Policy: it would cut a window off from its opener.
    headers: {
      "content-security-policy": policy.join("; "),
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      ...headers,
    },
  });
}

export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

const STYLE = `
:root { color-scheme: light dark; --page: #f4f5f7; --card: #fff; --text: #1b1f24; --soft: #57606a; --line: #d5dae0;
  --accent: #1f5fd0; --on-accent: #fff; --good: #1a7f37; --bad: #b3261e; --note: #fff6e0; --note-line: #e3b341 }
@media (prefers-color-scheme: dark) { :root { --page: #0f1216; --card: #181c22; --text: #e7eaee; --soft: #a0a9b4;
  --line: #333a44; --accent: #7fb0ff; --on-accent: #0b1a33; --good: #5fd07f; --bad: #ff8a80; --note: #2c2513;
  --note-line: #8a6d1f } }
* { box-sizing: border-box }
body { margin: 0; background: var(--page); color: var(--text); font: 16px/1.5 system-ui, sans-serif;
  overflow-wrap: break-word }
h1 { font-size: 1.375rem; line-height: 1.3; margin: 0 0 .5rem }
h2 { font-size: 1.1rem; margin: 1.5rem 0 .25rem }
p { margin: 0 0 1rem }
a { color: var(--accent) }
.document main { max-width: 60rem; margin: 0 auto; padding: 2rem 1rem }
.document { background: var(--card) }
.document .wide { overflow-x: auto; margin-bottom: 1rem }
.document th, .document td { padding: .25rem .75rem .25rem 0; text-align: left; vertical-align: top }
.card { display: grid; grid-template-columns: minmax(0, 1fr); min-height: 100vh; place-items: center; padding: 1rem }
.card main { width: 100%; max-width: 29rem; background: var(--card); border: 1px solid var(--line); border-radius: 12px;
  padding: 1.5rem }
.card main > :last-child { margin-bottom: 0 }
.app { display: flex; align-items: center; gap: .625rem; margin-bottom: 1.25rem; color: var(--soft); font-weight: 600 }
.app > span:last-child { min-width: 0 }
.mark { flex: none; display: grid; place-items: center; width: 2rem; height: 2rem; border-radius: 8px;
  background: var(--accent); color: var(--on-accent) }
.sign { display: block; width: 2.5rem; height: 2.5rem; margin-bottom: .75rem }
.good { color: var(--good) }
.bad { color: var(--bad) }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .375rem 1rem; margin: 0 0 1rem;
  padding: .75rem 0; border-block: 1px solid var(--line) }
dt { color: var(--soft) }
dd { margin: 0 }
.soft { color: var(--soft) }
.small { font-size: .875rem }
.note { padding: .625rem .75rem; border-left: 4px solid var(--note-line); background: var(--note); font-size: .9375rem }
form { display: flex; flex-wrap: wrap; gap: .75rem }
button { flex: 1 1 auto; min-height: 44px; padding: .5rem 1.25rem; border: 1px solid var(--line); border-radius: 8px;
  background: transparent; color: var(--text); font: inherit; font-weight: 600; cursor: pointer }
button.main { background: var(--accent); border-color: var(--accent); color: var(--on-accent) }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
@media (max-width: 30rem) { .card { place-items: start center; padding: 0; background: var(--card) }
  .card main { border: 0; border-radius: 0 } dl { grid-template-columns: minmax(0, 1fr); gap: 0 } dd { margin-bottom: .5rem } }
`;
