/** The page at the end of an OAuth flow: reports the result to the window that opened it, and to the person. */
import { randomBytes } from "node:crypto";
import { Page } from "../../http/endpoint.ts";

export type ConsentResult = { connectionId: string; provider: string } | { error: string };

/** Posts exactly one message, with the members that the published UI library reads. */
export function callbackPage(result: ConsentResult): Page {
  const failed = "error" in result;
  const message = failed
    ? { eventType: "AUTHORIZATION_FAILED", message: result.error, data: { error: result.error } }
    : { eventType: "AUTHORIZATION_SUCCEEDED", data: { connection: result.connectionId } };
  const title = failed ? "The connection was not made" : "Connected";
  const text = failed ? result.error : `${result.provider} is connected. You can close this window.`;
  // The URL contains code and state, so it is removed from the history. The window closes if it has an opener, but
  // only after that had time to read the message: a closed window looks as if the customer had cancelled.
  const script = `history.replaceState(null, "", location.pathname);
const opener = window.opener;
if (opener) {
  opener.postMessage(${scriptJson(message)}, "*");
  ${failed ? "" : "setTimeout(() => window.close(), 1_000);"}
}`;
  return page({ status: failed ? 400 : 200, title, text, script });
}

export function page(content: { status: number; title: string; text: string; script: string }): Page {
  const nonce = randomBytes(16).toString("base64");
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(content.title)}</title>
<style nonce="${nonce}">body { font: 16px/1.5 system-ui, sans-serif; margin: 4rem auto; max-width: 32rem; padding: 0 1rem }</style>
</head>
<body>
<h1>${escapeHtml(content.title)}</h1>
<p>${escapeHtml(content.text)}</p>
<script nonce="${nonce}">
${content.script}
</script>
</body>
</html>
`;
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return new Page(html, {
    status: content.status,
    // No Cross-Origin-Opener-Policy: it would cut the window off from its opener.
    headers: {
      "content-security-policy": policy.join("; "),
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    },
  });
}

const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/** Returns JSON that cannot end the script element around it. */
export const scriptJson = (value: unknown): string =>
  JSON.stringify(value).replaceAll(
    /[<>\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
