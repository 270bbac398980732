/** The page at /docs: loads Scalar's script from this server, which may call no other server. */
import { randomBytes } from "node:crypto";
import { Page } from "../../http/endpoint.ts";

const CONFIGURATION = {
  url: "/openapi.json?examples=true",
  theme: "default",
  // Without this, words break anywhere on a narrow screen.
  customCss:
    ".scalar-app .markdown table { table-layout: auto } " +
    ".scalar-app .markdown table td, .scalar-app .markdown table th { word-break: normal }",
  authentication: { preferredSecurityScheme: "apiKey" },
  // Features that call or link to other servers.
  withDefaultFonts: false,
  telemetry: false,
  showDeveloperTools: "never",
  hideClientButton: true,
  agent: { disabled: true },
  mcp: { disabled: true },
};

const PROGRAM = "/docs/reader.js";

/** Returns the page. The policy allows inline styles, because Scalar writes them into elements. */
export function readerPage(): Page {
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
