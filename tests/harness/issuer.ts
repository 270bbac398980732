/** An OpenID Connect issuer for tests: publishes keys, signs tokens, and signs people in by the code flow. */
import { createHash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { bearer } from "./customer-tokens.ts";

export const CLIENT_ID = "busbar";

type Claims = Record<string, unknown>;

export interface TestIssuer {
  url: string;
  /** The settings with which a Busbar trusts it. */
  env: Record<string, string>;
  /** Returns headers with a person's token; claims are merged over those of Grace Hopper. */
  sign(claims?: Claims, kid?: string): Promise<Record<string, string>>;
  /**
   * Signs a person in at the address that a Busbar sent the browser to; returns the address to come back to. A browser that opens
   * that address gets a page with a link instead.
   */
  approve(authorizationUrl: string, claims?: Claims): URL;
  /** Requests to the token endpoint so far: header and form. */
  readonly exchanges: { authorization: string | undefined; form: URLSearchParams }[];
  close(): Promise<void>;
}

/** With a secret, the token endpoint takes nothing else. */
export async function startIssuer(options: { clientSecret?: string } = {}): Promise<TestIssuer> {
  const { publicKey, privateKey } = await generateKeyPair("RS256");
  const jwk = { ...(await exportJWK(publicKey)), kid: "k1", alg: "RS256", use: "sig" };
  let url = "";
  const approved = new Map<string, { asked: URLSearchParams; claims: Claims }>();
  const exchanges: TestIssuer["exchanges"] = [];

  const signed = (claims: Claims, kid = "k1"): Promise<string> => {
    const iat = Math.floor(Date.now() / 1_000);
    const grace = { sub: "grace", email: "Grace@example.com", email_verified: true, name: "Grace Hopper" };
    const all = { iss: url, aud: CLIENT_ID, iat, exp: iat + 3_600, ...grace, ...claims };
    return new SignJWT(all).setProtectedHeader({ alg: "RS256", kid }).sign(privateKey);
  };

  /** Gives each code once, to the client that began. */
  async function exchange(request: IncomingMessage): Promise<object | undefined> {
    const { authorization } = request.headers;
    const form = new URLSearchParams(await text(request));
    exchanges.push({ authorization, form });
    const code = form.get("code") ?? "";
    const known = approved.get(code);
    approved.delete(code);
    if (!known) return undefined;
    const { asked, claims } = known;
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    // RFC 6749 section 2.3.1: both are encoded like form values.
    const secret = encodeURIComponent(options.clientSecret ?? "");
    const pair = Buffer.from(`${CLIENT_ID}:${secret}`).toString("base64");
    const isClient = options.clientSecret === undefined || authorization === `Basic ${pair}`;
    const isSame = ["client_id", "redirect_uri"].every((name) => form.get(name) === asked.get(name));
    if (!isClient || !isSame || challenge !== asked.get("code_challenge")) return undefined;
    return { token_type: "Bearer", id_token: await signed({ nonce: asked.get("nonce"), ...claims }) };
  }

  const approve: TestIssuer["approve"] = (authorizationUrl, claims = {}) => {
    const asked = new URL(authorizationUrl).searchParams;
    const code = randomUUID();
    approved.set(code, { asked, claims });
    const back = new URL(asked.get("redirect_uri") ?? "");
    back.search = new URLSearchParams({ code, state: asked.get("state") ?? "" }).toString();
    return back;
  };

  const server = createServer(async (request, response) => {
    if (request.url?.startsWith("/authorize?")) {
      const back = approve(url + request.url).href.replaceAll("&", "&amp;");
      response.setHeader("content-type", "text/html");
      response.end(`<!doctype html><title>Issuer</title><a href="${back}">I am Grace Hopper</a>`);
      return;
    }
    const answer = async (): Promise<object | undefined> => {
      if (request.url === "/keys") return { keys: [jwk] };
      if (request.url === "/token") return exchange(request);
      const endpoints = {
        authorization_endpoint: `${url}/authorize?tenant=a`,
        token_endpoint: `${url}/token`,
      };
      return { issuer: url, jwks_uri: `${url}/keys`, ...endpoints };
    };
    const content = await answer();
    response.statusCode = content ? 200 : 400;
    response.end(JSON.stringify(content ?? { error: "invalid_grant" }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    env: {
      BUSBAR_OIDC_ISSUER: url,
      BUSBAR_OIDC_CLIENT_ID: CLIENT_ID,
      ...(options.clientSecret !== undefined && { BUSBAR_OIDC_CLIENT_SECRET: options.clientSecret }),
    },
    sign: async (claims = {}, kid) => bearer(await signed(claims, kid)),
    approve,
    exchanges,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
