/** Tokens for one customer, made by the builder's server for pages of the customer. */
import { importPKCS8, SignJWT } from "jose";

export interface CustomerTokenOptions {
  /** The private key, as PKCS #8 PEM, whose public key was registered with `createJwtKey`. */
  privateKeyPem: string;
  /** The id that `createJwtKey` returned. */
  keyId: string;
  /** Who the token is for. */
  groupRef: string;
  consumerRef: string;
  /** Seconds that the token is valid; at most 600, the default. */
  lifeSeconds?: number;
}

/** Returns a token that allows what the UI library needs, for one customer only. Call it on your server: the key is secret. */
export async function signCustomerToken(options: CustomerTokenOptions): Promise<string> {
  const { privateKeyPem, keyId, groupRef, consumerRef, lifeSeconds = 600 } = options;
  if (!(lifeSeconds > 0 && lifeSeconds <= 600)) throw new RangeError("lifeSeconds is from 1 to 600");
  const issueTime = Math.floor(Date.now() / 1_000);
  return await new SignJWT({ groupRef, consumerRef })
    .setProtectedHeader({ alg: "RS256", typ: "JWT", kid: keyId })
    .setIssuedAt(issueTime)
    .setExpirationTime(issueTime + lifeSeconds)
    .sign(await importPKCS8(privateKeyPem, "RS256"));
}
