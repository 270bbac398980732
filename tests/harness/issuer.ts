/** An OpenID Connect issuer for tests: publishes keys and signs tokens. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { bearer } from "./customer-tokens.ts";

export const CLIENT_ID = "busbar";

export interface TestIssuer {
  url: string;
  /** The settings with which a Busbar trusts it. */
  env: Record<string, string>;
  /** Returns headers with a person's token; claims are merged over those of Grace Hopper. */
  sign(claims?: Record<string, unknown>, kid?: string): Promise<Record<string, string>>;
  close(): Promise<void>;
}

export async function startIssuer(): Promise<TestIssuer> {
  const { publicKey, privateKey } = await generateKeyPair("RS256");
  const jwk = { ...(await exportJWK(publicKey)), kid: "k1", alg: "RS256", use: "sig" };
  let url = "";
  const server = createServer((request, response) => {
    const configuration = { issuer: url, jwks_uri: `${url}/keys` };
    response.end(JSON.stringify(request.url === "/keys" ? { keys: [jwk] } : configuration));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    env: { BUSBAR_OIDC_ISSUER: url, BUSBAR_OIDC_CLIENT_ID: CLIENT_ID },
    async sign(claims = {}, kid = "k1") {
      const iat = Math.floor(Date.now() / 1_000);
      const grace = { sub: "grace", email: "Grace@example.com", email_verified: true, name: "Grace Hopper" };
      const all = { iss: url, aud: CLIENT_ID, iat, exp: iat + 3_600, ...grace, ...claims };
      return bearer(await new SignJWT(all).setProtectedHeader({ alg: "RS256", kid }).sign(privateKey));
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
