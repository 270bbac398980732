/** Serves the dashboard's page and its files beside the API; everything else stays the API's. */
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Problem } from "../../ground/errors.ts";
import { Page } from "../http/endpoint.ts";
import { prefersHtml } from "../http/prefers-html.ts";
import { escapeHtml, renderStyledPage } from "../http/styled-page.ts";
import type { BuiltDashboard, DashboardState } from "./built-dashboard.ts";

/** Addresses of the dashboard in addition to `/`, for clients that prefer HTML. Other clients get the reference at `/`, and are refused here. */
const PAGES = ["/sign-in", "/projects", "/projects/*", "/orgs", "/orgs/*", "/account", "/system"];

const MEDIA_TYPES: Record<string, string> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

/** Adds the dashboard's page and files to the listener. They are not part of the API or its OpenAPI document. */
export function serveDashboard(api: FastifyInstance, dashboard: BuiltDashboard): void {
  for (const path of PAGES) {
    api.get(path, async (request, reply) => {
      // Somebody who forgot `/v1` must not take the page for an answer of the API.
      if (!prefersHtml(request.headers.accept)) return reply.callNotFound();
      const { content, status, headers } = renderDashboardPage(dashboard);
      return reply.code(status).headers(headers).type("text/html; charset=utf-8").send(content);
    });
  }
  api.get<{ Params: { name: string } }>("/assets/:name", (request, reply) =>
    sendAsset(dashboard, request, reply),
  );
}

/** Returns the page, or while it is being built one that reloads itself, or one that says what to do. */
export function renderDashboardPage(dashboard: BuiltDashboard): Page {
  const state = dashboard.state();
  if (state.kind !== "ready") return renderNotice(state);
  const nonce = randomBytes(16).toString("base64");
  const content = state.build.page.replaceAll("__NONCE__", nonce);
  return new Page(content, { status: 200, headers: buildPagePolicy(nonce) });
}

const NOTICES = {
  building: {
    title: "The dashboard is being built",
    text: "<p>This happens once after an installation or an upgrade and takes a few seconds. The page reloads itself.</p>",
  },
  missing: {
    title: "The dashboard is not built",
    text:
      "<p>This installation has neither a build of the dashboard nor the packages that build it. Run " +
      "<code>npm ci</code> and <code>npm run build</code> where the image is made, or set " +
      "<code>BUSBAR_DASHBOARD=false</code> to leave it out.</p>" +
      '<p>The API works without it: <a href="/docs">API reference</a>.</p>',
  },
  failed: {
    title: "The dashboard could not be built",
    text:
      "<p>Run <code>npm run build</code> to see why, then start Busbar again.</p>" +
      '<p>The API works without it: <a href="/docs">API reference</a>.</p>',
  },
};

function renderNotice(state: Exclude<DashboardState, { kind: "ready" }>): Page {
  const { title, text } = NOTICES[state.kind];
  const main = `<h1>${escapeHtml(title)}</h1>${text}`;
  const headers: Record<string, string> = state.kind === "building" ? { refresh: "1" } : {};
  return renderStyledPage({ status: 503, title: `${title} · Busbar`, main, layout: "card", headers });
}

type AssetRequest = FastifyRequest<{ Params: { name: string } }>;

/** Sends a file of this build or of the one before; names contain a hash of the content. */
async function sendAsset(
  dashboard: BuiltDashboard,
  request: AssetRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { name } = request.params;
  const state = dashboard.state();
  if (state.kind !== "ready" || ![...state.build.assets, ...state.build.former].includes(name))
    throw new Problem("unknown-path", { detail: `There is no file ${name}. Reload the page.` });
  const etag = `"${name}"`;
  reply.headers({ "cache-control": "public, max-age=31536000, immutable", etag, vary: "accept-encoding" });
  if (request.headers["if-none-match"] === etag) return reply.code(304).send();
  const { body, encoding } = await readAsset(join(state.folder, "assets", name), request);
  if (encoding) reply.header("content-encoding", encoding);
  return reply.type(MEDIA_TYPES[extname(name)] ?? "application/octet-stream").send(body);
}

async function readAsset(
  file: string,
  { headers }: AssetRequest,
): Promise<{ body: Buffer; encoding?: "br" | "gzip" }> {
  const accepted = String(headers["accept-encoding"] ?? "");
  const encodings = [
    { encoding: "br", suffix: ".br" },
    { encoding: "gzip", suffix: ".gz" },
  ] as const;
  for (const { encoding, suffix } of encodings) {
    if (!new RegExp(`\\b${encoding}\\b`).test(accepted)) continue;
    const body = await readFile(file + suffix).catch(() => undefined);
    if (body) return { body, encoding };
  }
  return { body: await readFile(file) };
}

/**
 * Returns the headers of one answer. The nonce is for styles only, which dialogs and the editor add at run time. The policy
 * allows no other origin and no inline script.
 */
const buildPagePolicy = (nonce: string): Record<string, string> => ({
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; "),
  // The window of a consent keeps its opener, which waits for it to close.
  "cross-origin-opener-policy": "same-origin-allow-popups",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
});
