/** Tries credentials that buy a token before they are stored, so that a mistake shows where it is made. */
import type { ProviderInfo } from "../../connectors/kit/provider.ts";
import type { Egress } from "../egress.ts";
import { Problem } from "../ground/errors.ts";
import type { ProviderMetadata } from "../store/connections.ts";
import { metadataValues } from "./provider-metadata.ts";
import type { StoredCredentials } from "./stored-credentials.ts";
import { requestToken, TokenEndpointError } from "./token-endpoint.ts";

/** The credentials with a first access token where they buy one. Throws a Problem: 422 refused, 502 out of reach. */
export async function proveCredentials(
  on: { egress: Egress },
  provider: ProviderInfo,
  metadata: ProviderMetadata,
  credentials: StoredCredentials,
): Promise<StoredCredentials> {
  if (!("clientId" in credentials)) return credentials;
  const { clientId, clientSecret, scopes } = credentials;
  const scope: Record<string, string> = scopes?.length ? { scope: scopes.join(" ") } : {};
  const grant: Record<string, string> =
    credentials.scheme === "oauth2/password"
      ? { grant_type: "password", username: credentials.username, password: credentials.password, ...scope }
      : { grant_type: "client_credentials", ...scope };
  const urlOptions = { values: metadataValues(metadata), allowPlainHttp: on.egress.allowsPlainHttp };
  try {
    const answer = await requestToken(on.egress, { provider, urlOptions, clientId, clientSecret, grant });
    const { accessToken, refreshToken } = answer;
    return { ...credentials, accessToken, refreshToken, scopes: answer.scopes ?? scopes };
  } catch (error) {
    if (!(error instanceof TokenEndpointError)) throw error;
    const slug = error.failure === "transient" ? "provider-unreachable" : "provider-refused";
    throw new Problem(slug, {
      detail: `No access token for these credentials: ${error.message}.`,
      cause: error,
    });
  }
}
