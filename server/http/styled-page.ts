/** The style of this server's own pages, as that of the dashboard: one HTML document for light and dark, small and large screens, without foreign content. */
import { randomBytes } from "node:crypto";
import { Page } from "./endpoint.ts";

interface StyledPage {
  status: number;
  title: string;
  /** HTML; texts in it went through `escapeHtml`. */
  main: string;
  script?: string;
  /** Documents are wide and start at the top, the guide has its pages beside it; other pages are one card. */
  layout: "card" | "document" | "guide";
  /** Targets of forms in addition to this server, as in a Content-Security-Policy. Undefined for a page without a form. */
  formTargets?: string;
  headers?: Record<string, string>;
}

/** Returns the page, with a policy that lets nothing but its own style and script run. */
export function renderStyledPage({
  status,
  title,
  main,
  script,
  layout,
  formTargets,
  headers,
}: StyledPage): Page {
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
<body class="${layout === "guide" ? "document guide" : layout}">${layout === "card" ? "" : HEAD}
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

/** Leads to the dashboard, or to the reference where the dashboard is switched off. */
const HEAD = `\n<header><a href="/"><span class="busbar" aria-hidden="true"></span>Busbar</a></header>`;

/** Colours and sizes are those of `dashboard/theme.ts`. */
const STYLE = `
:root { color-scheme: light dark; --page: #f6f7f9; --card: #fff; --text: #1b1f24; --soft: #57606a; --line: #dde2e8;
  --field: #858e99; --hover: #f2f5f9; --code: #f4f6f8; --accent: #1f5fd0; --filled: #1f5fd0; --good: #1a6f33;
  --bad: #b3261e; --note: #fff6e0; --note-line: #8a5a00 }
@media (prefers-color-scheme: dark) { :root { --page: #0f1216; --card: #15181d; --text: #e7eaee; --soft: #a3adb8;
  --line: #2c333d; --field: #6b7684; --hover: #1c2128; --code: #1b1f26; --accent: #8db8ff; --good: #5fd07f;
  --bad: #ff8a80; --note: #2c2513; --note-line: #e3b341 } }
* { box-sizing: border-box }
body { margin: 0; background: var(--page); color: var(--text); font: 14px/1.5 system-ui, -apple-system, "Segoe UI",
  Roboto, "Helvetica Neue", Arial, sans-serif; overflow-wrap: break-word }
h1 { font-size: 20px; line-height: 1.3; font-weight: 650; margin: 0 0 8px }
h2 { font-size: 16px; line-height: 1.35; font-weight: 650; margin: 20px 0 4px }
p { margin: 0 0 14px }
a { color: var(--accent) }
code { font: 12.5px ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace }
header { position: sticky; top: 0; display: flex; align-items: center; height: 48px; padding: 0 16px;
  background: var(--card); border-bottom: 1px solid var(--line) }
header a { display: flex; align-items: center; gap: 8px; min-height: 28px; font-weight: 700; color: var(--text);
  text-decoration: none }
.busbar { width: 18px; height: 18px; border-radius: 4px; background:
  linear-gradient(#fff, #fff) 4px 4px / 2px 10px no-repeat, linear-gradient(#fff, #fff) 12px 4px / 2px 10px no-repeat,
  linear-gradient(#fff, #fff) 4px 8px / 10px 2px no-repeat, #1f5fd0 }
.document main { max-width: 60rem; margin: 16px auto; padding: 20px 24px; background: var(--card);
  border: 1px solid var(--line); border-radius: 6px }
.document .wide { overflow-x: auto; margin-bottom: 14px }
.document table { width: 100%; border-collapse: collapse; font-size: 13px }
.document th { color: var(--soft); font-size: 12px; font-weight: 550 }
.document th, .document td { height: 36px; padding: 4px 12px 4px 0; text-align: left;
  border-bottom: 1px solid var(--line) }
.document td a { display: inline-block; padding-block: 4px }
.card { display: grid; grid-template-columns: minmax(0, 1fr); min-height: 100vh; place-items: center; padding: 16px }
.card main { width: 100%; max-width: 28rem; background: var(--card); border: 1px solid var(--line); border-radius: 6px;
  padding: 24px }
.card main > :last-child { margin-bottom: 0 }
.app { display: flex; align-items: center; gap: 10px; margin-bottom: 20px; color: var(--soft); font-weight: 600 }
.app > span:last-child { min-width: 0 }
.mark { flex: none; display: grid; place-items: center; width: 32px; height: 32px; border-radius: 6px;
  background: var(--filled); color: #fff }
.sign { display: block; width: 36px; height: 36px; margin-bottom: 12px }
.good { color: var(--good) }
.bad { color: var(--bad) }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 6px 16px; margin: 0 0 14px;
  padding: 12px 0; border-block: 1px solid var(--line) }
dt { color: var(--soft) }
dd { margin: 0 }
.soft { color: var(--soft) }
.small { font-size: 13px }
.note { padding: 10px 12px; border-left: 3px solid var(--note-line); background: var(--note) }
form { display: flex; flex-wrap: wrap; gap: 12px }
button { flex: 1 1 auto; min-height: 40px; padding: 8px 20px; border: 1px solid var(--field); border-radius: 4px;
  background: transparent; color: var(--text); font: inherit; font-weight: 550; cursor: pointer }
button:hover { background: var(--hover) }
button.main { background: var(--filled); border-color: var(--filled); color: #fff }
button.main:hover { background: #1850b3 }
button:disabled, button[aria-disabled] { cursor: default }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
.guide main { display: grid; grid-template: "search text" auto "pages text" 1fr / 15rem minmax(0, 1fr); gap: 12px 32px;
  max-width: 76rem }
.guide form { grid-area: search } .guide .pages { display: none }
.guide input { width: 100%; min-height: 36px; padding: 4px 10px; border: 1px solid var(--field); border-radius: 4px;
  background: transparent; color: var(--text); font: inherit }
.guide nav { grid-area: pages } .guide nav h2 { font-size: 13px; margin: 14px 0 2px; color: var(--soft) }
.guide nav ul { list-style: none; margin: 0; padding: 0 } .guide nav a { display: block; padding: 4px 0; text-decoration: none }
.guide nav [aria-current] { font-weight: 650; color: var(--text) }
.guide article { grid-area: text; min-width: 0; font-size: 15px } .guide [id] { scroll-margin-top: 56px }
.guide pre { overflow-x: auto; padding: 12px; border-radius: 6px; background: var(--code) }
.guide figure { position: relative; margin: 0 } .guide figure button { position: absolute; top: 6px; right: 6px; min-height: 28px;
  padding: 2px 10px; border-color: var(--line); background: var(--card); color: var(--soft); font-size: 12px }
.guide td code, .guide p code, .guide li code { padding: 1px 4px; border-radius: 3px; background: var(--code) }
.guide td { vertical-align: top }
.tabs { position: relative; margin: 0 0 14px; border: 1px solid var(--line); border-radius: 6px } .guide .tabs pre { margin: 0; border-radius: 0 0 5px 5px }
.guide .tabs input { position: absolute; width: 1px; min-height: 1px; margin: 0; padding: 0; opacity: 0 } .tabs label { display: inline-block;
  padding: 6px 14px; color: var(--soft); font-size: 13px; cursor: pointer } .tabs p { margin: 0; padding: 6px 12px }
.tabs input:checked + label { color: var(--text); font-weight: 650; box-shadow: inset 0 -2px var(--accent) }
.tabs input:focus-visible + label { outline: 2px solid var(--accent); outline-offset: -2px } .tabs div { display: none }
.tabs input:nth-of-type(1):checked ~ div:nth-of-type(1), .tabs input:nth-of-type(2):checked ~ div:nth-of-type(2),
.tabs input:nth-of-type(3):checked ~ div:nth-of-type(3) { display: block }
@media (max-width: 50rem) { .guide main { display: block } .guide form { flex-wrap: nowrap; margin-bottom: 12px }
  .guide .pages { display: block; align-self: center } }
@media (max-width: 30rem) { .card { place-items: start center; padding: 0; background: var(--card) }
  .card main, .document main { border: 0; border-radius: 0 } .document main { margin: 0; padding: 16px }
  dl { grid-template-columns: minmax(0, 1fr); gap: 0 } dd { margin-bottom: 8px } }
`;
