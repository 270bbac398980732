/** The page at /docs: loads Scalar's script from this server, which may call no other server. */
import { randomBytes } from "node:crypto";
import { Page } from "../../http/endpoint.ts";

const CONFIGURATION = {
  url: "/openapi.json?examples=true",
  theme: "none",
  customCss: writeCustomCss(),
  authentication: { preferredSecurityScheme: "apiKey" },
  // Features that call or link to other servers.
  withDefaultFonts: false,
  telemetry: false,
  showDeveloperTools: "never",
  hideClientButton: true,
  agent: { disabled: true },
  mcp: { disabled: true },
};

/** Returns the colours and sizes of the dashboard's theme, in the words of Scalar. */
function writeCustomCss(): string {
  const fonts =
    "--scalar-font: system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif; " +
    "--scalar-font-code: ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace; " +
    "--scalar-radius: 4px; --scalar-radius-lg: 6px; --scalar-radius-xl: 6px; ";
  const light =
    "--scalar-color-1: #1b1f24; --scalar-color-2: #57606a; --scalar-color-3: #57606a; --scalar-color-accent: #1f5fd0; " +
    "--scalar-background-1: #ffffff; --scalar-background-2: #f6f7f9; --scalar-background-3: #f2f5f9; " +
    "--scalar-background-accent: #e6eefc; --scalar-border-color: #dde2e8; --scalar-button-1: #1f5fd0; " +
    "--scalar-button-1-hover: #1850b3; --scalar-button-1-color: #ffffff; --scalar-color-green: #1a6f33; " +
    "--scalar-color-red: #b3261e; --scalar-color-yellow: #8a5a00; --scalar-color-orange: #8a5a00; " +
    "--scalar-color-blue: #1f5fd0; --scalar-color-purple: #6639ba; ";
  const dark =
    "--scalar-color-1: #e7eaee; --scalar-color-2: #a3adb8; --scalar-color-3: #a3adb8; --scalar-color-accent: #8db8ff; " +
    "--scalar-background-1: #15181d; --scalar-background-2: #0f1216; --scalar-background-3: #1c2128; " +
    "--scalar-background-accent: #1b2c4c; --scalar-border-color: #2c333d; --scalar-button-1: #1f5fd0; " +
    "--scalar-button-1-hover: #1850b3; --scalar-button-1-color: #ffffff; --scalar-color-green: #5fd07f; " +
    "--scalar-color-red: #ff8a80; --scalar-color-yellow: #e3b341; --scalar-color-orange: #e3b341; " +
    "--scalar-color-blue: #8db8ff; --scalar-color-purple: #c9a6ff; ";
  return [
    `.light-mode { ${fonts}${light}}`,
    `.dark-mode { ${fonts}${dark}}`,
    // Without this, words break anywhere on a narrow screen.
    ".scalar-app .markdown table { table-layout: auto }",
    ".scalar-app .markdown table td, .scalar-app .markdown table th { word-break: normal }",
  ].join(" ");
}

const PROGRAM = "/docs/reader.js";

/** Returns the page. The policy allows inline styles, because Scalar writes them into elements. */
export function renderReaderPage(): Page {
  const nonce = randomBytes(16).toString("base64");
  const configuration = JSON.stringify(CONFIGURATION).replaceAll('"', "&quot;");
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Busbar: API reference</title>
<link rel="icon" href="data:,">
</head>
<body>
<noscript>This page needs JavaScript. The same as a document: <a href="/openapi.json">openapi.json</a>.</noscript>
<script id="api-reference" type="application/json" data-configuration="${configuration}"></script>
<script src="${PROGRAM}" nonce="${nonce}"></script>
</body>
</html>
`;
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    "style-src 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return new Page(html, {
    status: 200,
    headers: {
      "content-security-policy": policy.join("; "),
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    },
  });
}
