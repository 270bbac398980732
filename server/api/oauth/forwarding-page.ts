/** The callback page of custom authentication: hands what the provider sent back to the window that opened it. */
import { Type } from "typebox";
import type { Page } from "../../http/endpoint.ts";
import { styledPage } from "../../http/styled-page.ts";
import { scriptJson } from "./consent-pages.ts";

/** The published UI library looks for this. */
const SOURCE = "ampersand-custom-auth";

export const FORWARDING_DESCRIPTION =
  "Callback URL for providers with a custom authentication scheme. The page posts one message to the window that opened " +
  "it, `{source, params}`; that window calls `POST /v1/custom-auth/connect` with them.";

export const FORWARDING_SUCCESS = {
  status: 200,
  description: "The page.",
  schema: Type.String(),
  media: "text/html",
} as const;

/** Returns the page that forwards these parameters. */
export function forwardingPage(parameters: [string, unknown][]): Page {
  const params = Object.fromEntries(
    // The first of two values with one name counts, so that appending to the URL replaces nothing.
    parameters.toReversed().map(([name, value]) => [name, String(Array.isArray(value) ? value[0] : value)]),
  );
  const script = `history.replaceState(null, "", location.pathname);
const opener = window.opener;
if (opener) opener.postMessage(${scriptJson({ source: SOURCE, params })}, "*");`;
  return styledPage({
    status: 200,
    layout: "card",
    title: "Almost connected",
    main: `<h1>Almost connected</h1>
<p>This window closes automatically. If it does not, close it and return to the previous page.</p>`,
    script,
  });
}
