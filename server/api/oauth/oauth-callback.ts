/** GET /callbacks/v1/oauth: the callback URL of OAuth flows. */
import type { IncomingHttpHeaders } from "node:http";
import { Type, type Static } from "typebox";
import type { ProviderInfo } from "../../../connector-kit/provider-info.ts";
import { withAccountInfo } from "../../credentials/connect/account-info.ts";
import { codeGrant } from "../../credentials/grants/authorization-code.ts";
import {
  accountFacts,
  metadataValues,
  requireAddress,
  type AccountFacts,
} from "../../credentials/stored/provider-metadata.ts";
import { openProviderAppSecret } from "../../credentials/stored/provider-app-secret.ts";
import type { StoredCredentials } from "../../credentials/stored/credential-envelope.ts";
import {
  requestToken,
  TokenEndpointError,
  type TokenAnswer,
} from "../../credentials/grants/token-endpoint.ts";
import { Problem } from "../../ground/errors.ts";
import type { Log } from "../../ground/log.ts";
import { endpoint } from "../../http/endpoint.ts";
import type { OauthSession } from "../../store/oauth-sessions.ts";
import { findProviderApp, type ProviderAppRow } from "../../store/provider-apps.ts";
import { saveConnection } from "../connections/save-connection.ts";
import { endConsent, type ConsentServices } from "./begin-consent.ts";
import { isSameBrowser } from "./browser-binding.ts";
import { callbackPage, type ConsentResult } from "./callback-page.ts";

type Services = ConsentServices & { log: Log };
type Session = OauthSession & { codeVerifier?: string };

const Query = Type.Object({
  state: Type.Optional(Type.String({ description: "State of the OAuth flow that `oauthConnect` started." })),
  code: Type.Optional(Type.String({ description: "Authorization code of the provider." })),
  error: Type.Optional(
    Type.String({ description: "OAuth error code, if the provider returned no authorization code." }),
  ),
  error_description: Type.Optional(Type.String({ description: "The provider's description of the error." })),
});

export const oauthCallback = (deps: Services) =>
  endpoint({
    operationId: "oauthCallback",
    tag: "OAuth",
    summary: "OAuth callback",
    description:
      "Register this URL as redirect URL of your OAuth clients. The page stores the connection, then posts " +
      "one message to the window that opened it: `AUTHORIZATION_SUCCEEDED` with `data.connection`, or " +
      "`AUTHORIZATION_FAILED` with `data.error`.",
    query: Query,
    success: {
      status: 200,
      description: "The page after success.",
      schema: Type.String(),
      media: "text/html",
    },
    otherPages: { 400: "The page after a failure." },
    handle: async ({ query, headers }) => callbackPage(await finish(deps, query, headers)),
  });

/** An error whose message is shown to the person. */
class ConsentFailed extends Error {
  override name = "ConsentFailed";
}

async function finish(
  deps: Services,
  query: Static<typeof Query>,
  headers: IncomingHttpHeaders,
): Promise<ConsentResult> {
  try {
    const session = query.state ? await endConsent(deps, query.state) : undefined;
    if (!session) {
      throw new ConsentFailed(
        "This sign-in has expired or was used already. Close this window and connect again.",
      );
    }
    if (!isSameBrowser(session, headers)) {
      throw new ConsentFailed(
        "This sign-in was begun in another browser. Close this window and connect again.",
      );
    }
    const row = await connect(deps, session, query);
    return { connectionId: row.id, provider: deps.catalog.find(row.provider)?.displayName ?? row.provider };
  } catch (error) {
    if (error instanceof ConsentFailed) return { error: error.message };
    if (error instanceof Problem && error.status < 500) return { error: error.options.detail };
    if (error instanceof TokenEndpointError) return { error: explain(error) };
    deps.log.error({ err: error }, "a consent could not be finished");
    return { error: "Something went wrong on our side. Close this window and connect again." };
  }
}

async function connect(
  deps: Services,
  session: Session,
  { code, error, error_description }: Static<typeof Query>,
) {
  const provider = deps.catalog.find(session.provider);
  if (!provider) throw new ConsentFailed(`The provider ${session.provider} is no longer in the catalog.`);
  if (error || !code) {
    const said = [error, error_description].filter(Boolean).join(": ").slice(0, 300);
    throw new ConsentFailed(
      `${provider.displayName ?? provider.name} did not allow the connection${said ? ` (${said})` : ""}.`,
    );
  }
  const app = await findProviderApp(deps.database.queries, session.projectId, session.providerAppId);
  if (!app) throw new ConsentFailed("The provider app was deleted meanwhile.");
  const answer = await redeem(deps, provider, app, session, code);
  const credentials = credentialsOf(provider, answer, app);
  const facts = factsOf(provider, answer, session);
  const told = await withAccountInfo(deps, provider, facts.providerMetadata, credentials);
  requireAddress(provider, told.metadata, deps.egress.allowsPlainHttp);
  return saveConnection(deps, {
    projectId: session.projectId,
    provider: session.provider,
    providerAppId: app.id,
    connectionId: session.connectionId ?? undefined,
    groupRef: session.groupRef,
    groupName: session.groupName ?? undefined,
    consumerRef: session.consumerRef,
    consumerName: session.consumerName ?? undefined,
    ...facts,
    providerWorkspaceRef: facts.providerWorkspaceRef ?? told.workspaceRef,
    providerMetadata: told.metadata,
    credentials,
  });
}

const credentialsOf = (
  provider: ProviderInfo,
  { accessToken, refreshToken, scopes }: TokenAnswer,
  app: ProviderAppRow,
): StoredCredentials => ({
  scheme:
    provider.oauth2Opts?.grantType === "authorizationCodePKCE"
      ? "oauth2/authorizationCodePKCE"
      : "oauth2/authorizationCode",
  accessToken,
  refreshToken,
  scopes: scopes ?? app.scopes,
});

function redeem(
  deps: Services,
  provider: ProviderInfo,
  app: ProviderAppRow,
  session: Session,
  code: string,
): Promise<TokenAnswer> {
  return requestToken(deps.egress, {
    provider,
    urlOptions: {
      values: metadataValues(session.providerMetadata),
      allowPlainHttp: deps.egress.allowsPlainHttp,
    },
    clientId: app.clientId,
    clientSecret: openProviderAppSecret(deps.sealer, app),
    grant: codeGrant(code, session.redirectUri, session.codeVerifier),
  });
}

function factsOf(provider: ProviderInfo, answer: TokenAnswer, session: Session): AccountFacts {
  const facts = accountFacts(provider, answer.fields, session.providerMetadata);
  const entered = session.providerWorkspaceRef;
  return entered && !facts.providerWorkspaceRef ? { ...facts, providerWorkspaceRef: entered } : facts;
}

const explain = (error: TokenEndpointError): string =>
  error.failure === "configuration"
    ? `The provider did not accept this application: ${error.message}. Its provider app must be corrected.`
    : `The provider gave no access token: ${error.message}. Close this window and connect again.`;
