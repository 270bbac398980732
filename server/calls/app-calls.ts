/** Calls a provider with a token of the provider app itself, which the provider gives for client id and secret. */
import { LRUCache } from "lru-cache";
import type { Catalog } from "../../connector-kit/catalog.ts";
import type {
  ProviderFetch,
  ProviderRequest,
  ProviderResponse,
} from "../../connector-kit/calls/provider-fetch.ts";
import { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import type { ProviderInfo } from "../../connector-kit/provider-info.ts";
import { fillBaseUrl } from "../../connector-kit/provider/template.ts";
import { requestToken } from "../credentials/grants/token-endpoint.ts";
import { TokenEndpointError } from "../credentials/grants/token-endpoint-error.ts";
import { openProviderAppSecret } from "../credentials/stored/provider-app-secret.ts";
import { EXPIRY_MARGIN_MS } from "../credentials/stored/refresh-time.ts";
import { EgressError } from "../egress/egress-error.ts";
import type { Egress } from "../egress/egress.ts";
import { nowMs } from "../../ground/clock.ts";
import type { Sealer } from "../../ground/seal.ts";
import type { Database } from "../store/database/database.ts";
import { findProviderApp, type ProviderAppRow } from "../store/connections/provider-apps.ts";
import { toProviderError } from "./authorized-fetch.ts";

export interface AppCalls {
  /**
   * Returns what calls the provider for an app. `parseScopes` chooses the token's scopes by those that the builder registered.
   * Throws `ProviderError` (`forbidden`) if there is no such app.
   */
  find(
    app: { projectId: string; providerAppId: string },
    chooseScopes: (appScopes: readonly string[]) => string[],
  ): Promise<AppCall>;
}

interface AppCall {
  /** Gets the token, unless there is one. Throws `ProviderError`; `forbidden` if the provider gives the app no such token. */
  authorize(): Promise<void>;
  /** Sends with the app's token. Throws as `authorize` does. */
  fetch: ProviderFetch;
  /** Gets the text at an address without credentials. Throws `ProviderError`. */
  download(url: string): Promise<string>;
}

interface AppCallServices {
  database: Database;
  catalog: Catalog;
  egress: Egress;
  sealer: Sealer;
}

const MAX_TOKENS = 1_000;
/** A token without a lifetime is used for so long. */
const DEFAULT_TTL_MS = 5 * 60_000;
/** Many subscriptions ask for the same token: a refusal is not repeated for each. */
const REFUSAL_TTL_MS = 2_000;

interface Caller {
  app: ProviderAppRow;
  provider: ProviderInfo;
  scopes: string[];
}

type Tokens = LRUCache<string, Promise<string>>;

export function openAppCalls(deps: AppCallServices): AppCalls {
  const tokens: Tokens = new LRUCache({ max: MAX_TOKENS });
  return {
    async find({ projectId, providerAppId }, chooseScopes) {
      const app = await findProviderApp(deps.database.control, projectId, providerAppId);
      const provider = app && deps.catalog.of(projectId).find(app.provider);
      if (!app || !provider) {
        throw new ProviderError({ kind: "forbidden", message: "The provider app was deleted." });
      }
      const caller = { app, provider, scopes: chooseScopes(app.scopes) };
      return {
        authorize: async () => void (await findToken(deps, tokens, caller)),
        fetch: (request) => sendAs(deps, tokens, caller, request),
        download: (url) => downloadFile(deps, url),
      };
    },
  };
}

/** Sends a request with the token of the app. A rejected token is replaced once. */
async function sendAs(
  deps: AppCallServices,
  tokens: Tokens,
  caller: Caller,
  request: ProviderRequest,
): Promise<ProviderResponse> {
  const first = await sendWithToken(deps, caller, await findToken(deps, tokens, caller), request);
  if (first.status !== 401) return first;
  tokens.delete(joinKey(caller));
  return sendWithToken(deps, caller, await findToken(deps, tokens, caller), request);
}

/** Another secret, or other scopes, need another token. */
const joinKey = ({ app, scopes }: Caller): string =>
  JSON.stringify([app.id, app.clientId, app.clientSecretSealed, scopes]);

async function findToken(deps: AppCallServices, tokens: Tokens, caller: Caller): Promise<string> {
  const key = joinKey(caller);
  const known = tokens.get(key);
  if (known) return known;
  const asked = askForToken(deps, caller);
  const token = asked.then(({ text }) => text);
  tokens.set(key, token, { ttl: DEFAULT_TTL_MS });
  const keep = (ttl: number | undefined): void => {
    if (tokens.peek(key) !== token) return;
    if (ttl === undefined) tokens.delete(key);
    else tokens.set(key, token, { ttl });
  };
  asked.then(
    ({ ttlMs }) => keep(ttlMs),
    (error: unknown) =>
      keep(error instanceof ProviderError && error.kind === "forbidden" ? REFUSAL_TTL_MS : undefined),
  );
  return token;
}

async function askForToken(
  { egress, sealer }: AppCallServices,
  { app, provider, scopes }: Caller,
): Promise<{ text: string; ttlMs: number }> {
  try {
    const { accessToken } = await requestToken(egress, {
      provider,
      urlOptions: { values: {}, allowPlainHttp: egress.allowsPlainHttp },
      clientId: app.clientId,
      clientSecret: openProviderAppSecret(sealer, app),
      grant: { grant_type: "client_credentials", scope: scopes.join(" ") },
    });
    const { token, expiresAt } = accessToken;
    const leftMs = expiresAt ? Date.parse(expiresAt) - nowMs() - EXPIRY_MARGIN_MS : DEFAULT_TTL_MS;
    return { text: token, ttlMs: Math.max(1_000, leftMs) };
  } catch (error) {
    if (!(error instanceof TokenEndpointError)) throw error;
    if (error.failure === "transient") {
      throw new ProviderError({ kind: "unavailable", message: error.message, cause: error });
    }
    const message = `${provider.displayName ?? provider.name} gives the provider app no token of its own: ${error.message}. The app needs the scopes ${scopes.join(", ")}.`;
    throw new ProviderError({ kind: "forbidden", message, cause: error });
  }
}

async function sendWithToken(
  { egress }: AppCallServices,
  { provider }: Caller,
  token: string,
  { method, path, headers, body, repeatable }: ProviderRequest,
): Promise<ProviderResponse> {
  const base = fillBaseUrl(provider, { values: {}, allowPlainHttp: egress.allowsPlainHttp });
  const url = new URL(`${base.href.replace(/\/$/, "")}${path}`);
  const isJson = body !== undefined && typeof body !== "string";
  return read(egress, repeatable, {
    url,
    method,
    headers: {
      accept: "application/json",
      ...(isJson && { "content-type": "application/json" }),
      ...headers,
      authorization: `Bearer ${token}`,
    },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
}

async function downloadFile({ egress }: AppCallServices, address: string): Promise<string> {
  const url = URL.parse(address);
  if (!url || (url.protocol !== "https:" && !egress.allowsPlainHttp(url.hostname))) {
    throw new ProviderError({
      kind: "unreadable",
      message: "the provider's file has no https address",
      status: 200,
    });
  }
  const { status, text } = await read(egress, true, { url, method: "GET" });
  if (status === 200) return text;
  // The address has expired; the next attempt gets another one.
  const message = `${url.host} answered ${status} instead of the provider's file`;
  throw new ProviderError({ kind: "unavailable", message, status });
}

async function read(
  egress: Egress,
  repeatable: boolean,
  request: Parameters<Egress["send"]>[0],
): Promise<ProviderResponse> {
  try {
    const { status, headers, text } = await egress.send(request);
    return { status, headers, text: text() };
  } catch (error) {
    if (error instanceof EgressError) throw toProviderError(error, repeatable);
    throw error;
  }
}
