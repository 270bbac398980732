/** The secrets of a connection as they are stored: one encrypted JSON text per connection. */
import type { Credentials } from "../../../connector-kit/provider/authorization.ts";
import { placeIn, type Sealer } from "../../../ground/seal.ts";

export interface Token {
  token: string;
  /** RFC 3339. */
  issuedAt?: string;
  expiresAt?: string;
}

interface OauthTokens {
  accessToken?: Token;
  refreshToken?: Token;
  scopes?: string[];
}

export type StoredCredentials =
  | { scheme: "none" }
  | { scheme: "apiKey"; apiKey: string }
  | { scheme: "basic"; username: string; password: string }
  /** The times are those of values that expire and that the catalog can refresh. RFC 3339. */
  | { scheme: "custom"; values: Record<string, string>; issuedAt?: string; expiresAt?: string }
  | ({ scheme: "oauth2/authorizationCode" | "oauth2/authorizationCodePKCE" } & OauthTokens)
  | ({ scheme: "oauth2/clientCredentials"; clientId: string; clientSecret: string } & OauthTokens)
  | ({
      scheme: "oauth2/password";
      username: string;
      password: string;
      clientId: string;
      clientSecret: string;
    } & OauthTokens);

export type OauthCredentials = Extract<StoredCredentials, OauthTokens>;

export const isOauth = (credentials: StoredCredentials): credentials is OauthCredentials =>
  credentials.scheme.startsWith("oauth2/");

const toSealedPlace = placeIn("connections", "credentials_sealed");

export const sealCredentials = (
  sealer: Sealer,
  connection: { id: string; projectId: string },
  credentials: StoredCredentials,
): string => sealer.seal(JSON.stringify(credentials), toSealedPlace(connection));

export const openCredentials = (
  sealer: Sealer,
  connection: { id: string; projectId: string; credentialsSealed: string },
): StoredCredentials =>
  // The encryption is authenticated, so only `sealCredentials` can have written it.
  JSON.parse(sealer.open(connection.credentialsSealed, toSealedPlace(connection))) as StoredCredentials;

/** Returns the credentials that calls send; undefined while an OAuth connection has no access token. */
export function toCallCredentials(stored: StoredCredentials): Credentials | undefined {
  switch (stored.scheme) {
    case "none":
      return { type: "none" };
    case "apiKey":
      return { type: "apiKey", key: stored.apiKey };
    case "basic":
      return { type: "basic", username: stored.username, password: stored.password };
    case "custom":
      return { type: "custom", values: stored.values };
    default:
      return stored.accessToken && { type: "oauth2", accessToken: stored.accessToken.token };
  }
}
