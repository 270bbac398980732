/** /callbacks/v1/custom-auth: hands what a provider's page sent back to the window that waits for it. */
import { Type } from "typebox";
import { endpoint, type Page } from "../../http/endpoint.ts";
import { page, scriptJson } from "./callback-page.ts";

/** The published UI library looks for this. */
const SOURCE = "ampersand-custom-auth";
const FORM_LIMIT_BYTES = 64 * 1024;

const description =
  "Register this address with providers that send customers back with their own kind of parameters. The page posts one " +
  "message to the window that opened it, `{source, params}`, and knows nothing more: that window calls " +
  "`POST /v1/custom-auth/connect` with them.";
const success = {
  status: 200,
  description: "The page.",
  schema: Type.String(),
  media: "text/html",
} as const;

export const customAuthCallback = () =>
  endpoint({
    operationId: "customAuthCallback",
    tag: "OAuth",
    summary: "Where providers with their own scheme send customers back to",
    description,
    query: Type.Object({}),
    success,
    handle: async ({ query }) => forwardingPage(Object.entries(query)),
  });

/** The same for providers that send a form. */
export const customAuthFormCallback = () =>
  endpoint({
    operationId: "customAuthFormCallback",
    tag: "OAuth",
    summary: "The same, by a form",
    description,
    query: Type.Object({}),
    body: Type.Object({}),
    rawBodyLimitBytes: FORM_LIMIT_BYTES,
    success,
    async handle({ query, body }) {
      const form: unknown = body;
      const sent = Buffer.isBuffer(form) ? [...new URLSearchParams(form.toString("utf8"))] : [];
      return forwardingPage([...Object.entries(query), ...sent]);
    },
  });

function forwardingPage(parameters: [string, unknown][]): Page {
  const params = Object.fromEntries(
    // Of a name that comes twice the first counts: whoever appends to an address must not replace what it had.
    parameters.toReversed().map(([name, value]) => [name, String(Array.isArray(value) ? value[0] : value)]),
  );
  const script = `history.replaceState(null, "", location.pathname);
const opener = window.opener;
if (opener) opener.postMessage(${scriptJson({ source: SOURCE, params })}, "*");`;
  return page({
    status: 200,
    title: "Almost connected",
    text: "This window closes by itself. If it does not, close it and look at the page you came from.",
    script,
  });
}
