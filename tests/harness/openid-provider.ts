/** `oidc-provider`, a certified OpenID provider, with its defaults: the issuer that people sign in at in tests. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface OpenIdProvider {
  url: string;
  /** The settings with which a Busbar trusts it. */
  env: Record<string, string>;
  /** Registers the client; call it when the Busbar's address is known. `configuration` is the package's own. */
  register(client: {
    redirectUri: string;
    clientSecret?: string;
    metadata?: object;
    configuration?: object;
  }): void;
  /** Signs `login` in as a browser does: form of the login, form of the consent. Returns the address to come back to. */
  signIn(authorizationUrl: string, login: string): Promise<string>;
  /** Declines on the page of the login. Returns the address to come back to. */
  decline(authorizationUrl: string): Promise<string>;
  /** Answers these paths itself with the status and text instead of asking the provider; null: no longer. */
  answer(path: string, answer: { status: number; text: string } | null): void;
  /** Paths asked for so far. */
  readonly asked: string[];
  close(): Promise<void>;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;
type ProviderClass = new (issuer: string, configuration: object) => { callback(): Handler };

const CLIENT = { id: "busbar", secret: "a secret/+" };

/** `accounts` are the claims of people by login; the provider publishes them as OpenID Connect Core 5.4 says. */
export async function startOpenIdProvider(accounts: Record<string, object>): Promise<OpenIdProvider> {
  // The package has no types.
  const name: string = "oidc-provider";
  const { default: Provider }: { default: ProviderClass } = await import(name);
  let handle: Handler | undefined;
  const asked: string[] = [];
  const answers = new Map<string, { status: number; text: string }>();
  const server = createServer((request, response) => {
    const path = (request.url ?? "").split("?")[0] ?? "";
    asked.push(path);
    const own = answers.get(path);
    if (own) return response.writeHead(own.status, { "content-type": "text/html" }).end(own.text);
    return handle ? handle(request, response) : response.writeHead(503).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    env: {
      BUSBAR_OIDC_ISSUER: url,
      BUSBAR_OIDC_CLIENT_ID: CLIENT.id,
      BUSBAR_OIDC_CLIENT_SECRET: CLIENT.secret,
    },
    register({ redirectUri, clientSecret = CLIENT.secret, metadata, configuration }) {
      const client = { client_id: CLIENT.id, client_secret: clientSecret, redirect_uris: [redirectUri] };
      handle = new Provider(url, {
        clients: [{ ...client, ...metadata }],
        // Which claim belongs to which scope (OpenID Connect Core 5.4); the default knows `sub` only.
        claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name", "given_name"] },
        findAccount: (_: unknown, accountId: string) => ({
          accountId,
          claims: () => ({ sub: accountId, ...accounts[accountId] }),
        }),
        features: { userinfo: { enabled: true }, jwtUserinfo: { enabled: true } },
        ...configuration,
      }).callback();
    },
    signIn: (authorizationUrl, login) => signIn(url, authorizationUrl, login),
    decline: (authorizationUrl) => signIn(url, authorizationUrl),
    answer(path, answer) {
      if (answer) answers.set(path, answer);
      else answers.delete(path);
    },
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Without a login it follows the page's link that declines. */
async function signIn(url: string, authorizationUrl: string, login?: string): Promise<string> {
  const cookies = new Map<string, string>();
  let at = authorizationUrl;
  let form: Record<string, string> | undefined;
  for (let step = 0; step < 12; step++) {
    const answer = await fetch(at, {
      redirect: "manual",
      headers: { cookie: [...cookies].map((pair) => pair.join("=")).join("; ") },
      ...(form && { method: "POST", body: new URLSearchParams(form) }),
    });
    for (const set of answer.headers.getSetCookie()) {
      const [name = "", value = ""] = (set.split(";")[0] ?? "").split("=");
      cookies.set(name, value);
    }
    const page = await answer.text();
    const location = answer.headers.get("location");
    form = undefined;
    if (location) {
      at = new URL(location, at).href;
      if (!at.startsWith(`${url}/`)) return at;
    } else if (login === undefined) {
      at = new URL(/href="([^"]+\/abort)"/.exec(page)?.[1] ?? "", at).href;
    } else if (page.includes('name="prompt" value="login"')) {
      form = { prompt: "login", login, password: "any" };
    } else if (page.includes('name="prompt" value="consent"')) form = { prompt: "consent" };
    else throw new Error(`${at} answered ${answer.status}: ${page}`);
  }
  throw new Error("the sign-in does not end");
}
