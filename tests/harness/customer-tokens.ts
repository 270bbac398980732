/** Signs customers' tokens as a builder's server would. */
import { generateKeyPairSync } from "node:crypto";
import { SignJWT } from "jose";

interface Caller {
  inProject(
    method: string,
    path: string,
    body: unknown,
  ): Promise<{ status: number; text: string; body: unknown }>;
}

export interface TokenSigner {
  kid: string;
  publicKeyPem: string;
  /** Signs a token. The claims are merged over valid ones; undefined removes one. */
  sign(claims?: Record<string, unknown>): Promise<string>;
}

/** The longest life that a token may have: a busy machine may need minutes for what a test does with one. */
const LONGEST_LIFE_SECONDS = 600;

/** Creates a JWT key of the default project and returns its private key. */
export async function registerJwtKey(busbar: Caller): Promise<TokenSigner> {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  const publicKeyPem = publicKey.export({ type: "spki", format: "pem" }).toString();
  const made = await busbar.inProject("POST", "/jwt-keys", {
    label: "web",
    algorithm: "RS256",
    publicKeyPem,
  });
  if (made.status !== 201) throw new Error(`jwt key: ${made.text}`);
  const { kid } = made.body as { kid: string };
  return {
    kid,
    publicKeyPem,
    sign(claims = {}) {
      const iat = Math.floor(Date.now() / 1_000);
      const all = {
        sub: "anybody",
        groupRef: "acme",
        consumerRef: "ada",
        iat,
        exp: iat + LONGEST_LIFE_SECONDS,
        ...claims,
      };
      return new SignJWT(all).setProtectedHeader({ alg: "RS256", kid }).sign(privateKey);
    },
  };
}

/** Returns headers that replace the harness's API key by a token. */
export const bearer = (token: string): Record<string, string> => ({
  "x-api-key": "",
  authorization: `Bearer ${token}`,
});
