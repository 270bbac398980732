/** Refusals of token endpoints in the spellings of providers: which are final, and which say nothing about the grant. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test, type TestContext } from "node:test";
import { openEgress } from "../../egress/open-egress.ts";
import { requestToken } from "./token-endpoint.ts";
import { TokenEndpointError } from "./token-endpoint-error.ts";

type Said = [status: number, body: string | object, headers?: Record<string, string>];

async function ask(t: TestContext, [status, body, headers]: Said, grant = "refresh_token") {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(status, headers).end(typeof body === "string" ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close().closeAllConnections());
  const tokenURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`;
  const provider = { name: "acme", authType: "oauth2", oauth2Opts: { tokenURL, tokenMetadataFields: {} } };
  return requestToken(openEgress(["127.0.0.1"]), {
    provider: provider as unknown as Parameters<typeof requestToken>[1]["provider"],
    urlOptions: { allowPlainHttp: true } as unknown as Parameters<typeof requestToken>[1]["urlOptions"],
    clientId: "c",
    clientSecret: "s",
    grant: { grant_type: grant, refresh_token: "the-refresh-token" },
  });
}

async function failure(t: TestContext, said: Said, grant?: string): Promise<TokenEndpointError> {
  const error = await ask(t, said, grant).catch((reason: unknown) => reason);
  assert.ok(error instanceof TokenEndpointError, String(error));
  return error;
}

const html = "<!DOCTYPE html><html><body>Access denied by the firewall</body></html>";

const FINAL: [who: string, said: Said][] = [
  ["RFC 6749", [400, { error: "invalid_grant", error_description: "Token has been expired or revoked." }]],
  ["Slack", [200, { ok: false, error: "token_revoked" }]],
  ["Slack, rotated", [200, { ok: false, error: "invalid_refresh_token" }]],
  [
    "HubSpot",
    [400, { status: "BAD_REFRESH_TOKEN", message: "missing or invalid refresh token", correlationId: "x" }],
  ],
  [
    "Meta",
    [
      400,
      {
        error: {
          message: "Error validating access token: Session has expired",
          type: "OAuthException",
          code: 190,
        },
      },
    ],
  ],
  [
    "GitHub",
    [
      200,
      { error: "bad_refresh_token", error_description: "The refresh token passed is incorrect or expired." },
    ],
  ],
  [
    "GitHub, form encoded",
    [200, "error=bad_refresh_token&error_description=The+refresh+token+passed+is+incorrect"],
  ],
  ["Zoho", [200, { error: "invalid_code" }]],
  // https://github.com/raycast/extensions/issues/10896 with `invalid_grant`, the provider's forum with `invalid_request`
  ["Zoom", [400, { reason: "Invalid Token!", error: "invalid_request" }]],
  ["Zoom, before", [401, { reason: "Invalid Token!" }]],
  [
    "Google's words alone",
    [400, { error: "invalid_request", error_description: "Token has been expired or revoked." }],
  ],
  ["Atlassian", [403, { error: "unauthorized_client", error_description: "refresh_token is invalid" }]],
  ["Salesforce", [400, { error: "inactive_user", error_description: "user is inactive" }]],
  ["Microsoft", [400, { error: "interaction_required", error_description: "AADSTS50076: …" }]],
  // The form and its capitals are those of Apigee's page of OAuth errors, on which providers build: `{"ErrorCode": …, "Error": …}`.
  ["Apigee", [400, { ErrorCode: "invalid_request", Error: "Invalid Refresh Token" }]],
  // The words: webex/webex-js-sdk, pull request 855.
  [
    "Webex, in a list of errors",
    [
      400,
      {
        message: "Bad Request",
        errors: [{ description: "The refresh token provided is expired, revoked, malformed, or invalid." }],
      },
    ],
  ],
  // https://github.com/square/connect-ruby-sdk/issues/73
  ["Square", [400, { message: "cannot renew revoked token", type: "bad_request" }]],
  // Made up: a word about trying again does not bring a dead token back.
  [
    "whoever also says when to try again",
    [400, { error: "invalid_grant", error_description: "The refresh token has expired. Try again later." }],
  ],
];

for (const [who, said] of FINAL)
  test(`a dead refresh token in the spelling of ${who} is final`, async (t) => {
    assert.equal((await failure(t, said)).failure, "grant-refused");
  });

const PASSING: [what: string, said: Said][] = [
  ["a redirect", [302, "", { location: "https://login.example/" }]],
  ["a firewall's page", [403, html]],
  ["an address that is not there for a moment", [404, html]],
  ["a page with the status of a bad request", [400, html]],
  ["an empty answer", [401, ""]],
  ["an unknown error", [400, { error: "unknown_error", error_description: "retry your request" }]],
  ["a provider that is busy", [400, { error: "temporarily_unavailable" }]],
  [
    "two refreshes that cross at Salesforce",
    [400, { error: "invalid_grant", error_description: "expired authorization code" }],
  ],
  // The words since Salesforce's release notes of Winter '25 (segmentio/action-destinations, pull request 2300).
  [
    "two refreshes that cross at Salesforce, since 2024",
    [400, { error: "invalid_grant", error_description: "token request is already being processed" }],
  ],
  // Salesforce's OAuth 2.0 error codes; the user may not sign in at this hour, or from here (gravityplus/Gravity-Forms-Salesforce, issue 272).
  [
    "an hour in which the user may not sign in",
    [400, { error: "invalid_grant", error_description: "ip restricted or invalid login hours" }],
  ],
  [
    "a server whose address is not allowed",
    [400, { error: "invalid_grant", error_description: "ip restricted" }],
  ],
  // Zoho answers so beside other codes; a limit is no word about the grant.
  [
    "too many refreshes, with a code of a dead grant",
    [
      400,
      {
        error: "access_denied",
        error_description: "You have made too many requests continuously. Please try again after some time.",
      },
    ],
  ],
  // Microsoft's list of AADSTS error codes.
  [
    "a loop that Microsoft suspects",
    [
      400,
      {
        error: "invalid_grant",
        error_description:
          "AADSTS50196: The server terminated an operation because it encountered a client request loop.",
      },
    ],
  ],
  // Salesforce allows a user 3,600 logins an hour (restforce/restforce#412 and #744).
  [
    "Salesforce's limit of logins",
    [400, { error: "invalid_grant", error_description: "login rate exceeded" }],
  ],
  // Its help page, and restforce/restforce#744, have the words as one.
  [
    "Salesforce's limit of logins, as a code",
    [400, { error: "invalid_grant", error_description: "LOGIN_RATE_EXCEEDED" }],
  ],
  // A dead token is refused so, and so are refreshes of which the next one succeeds (ServiceNow's community, td-p/2373416).
  ["ServiceNow's denial", [401, { error_description: "access_denied", error: "server_error" }]],
  ["a rate limit in a success", [200, { ok: false, error: "ratelimited" }]],
  ["a request timeout", [408, { error: "timeout" }]],
  ["a success without a token", [200, {}]],
];

for (const [what, said] of PASSING)
  test(`${what} says nothing about the grant, and is tried again`, async (t) => {
    assert.equal((await failure(t, said)).failure, "transient");
  });

/**
 * Atlassian and Auth0 say a wrong client secret so: MrRefactoring/jira.js 6.2.0, tests/unit/core/oauth/oauthErrors.test.ts ("that is a bad client
 * secret"); auth0/node-auth0#134.
 */
const DENIED = { error: "access_denied", error_description: "Unauthorized" };

test("a wrong client is a fault of the provider app, whatever the grant", async (t) => {
  for (const body of [{ error: "invalid_client" }, DENIED])
    for (const grant of ["refresh_token", "authorization_code"]) {
      const { failure: kind } = await failure(t, [401, body], grant);
      assert.equal(kind, "configuration", `${body.error}, ${grant}`);
    }
});

// "Kaizen #4 - Troubleshooting OAuth2.0", Zoho's own page.
test("Zoho's words for a wrong secret and a wrong address are faults of the provider app", async (t) => {
  for (const error of ["invalid_client_secret", "invalid_redirect_uri"])
    assert.equal((await failure(t, [200, { error }])).failure, "configuration", error);
});

test("HubSpot's word for an unknown client is a fault of the provider app", async (t) => {
  const said = { status: "BAD_CLIENT_ID", message: "missing or unknown client id", correlationId: "x" };
  assert.equal((await failure(t, [400, said])).failure, "configuration");
});

test("a grant that is denied without a word about the client is refused", async (t) => {
  assert.equal((await failure(t, [400, { error: "access_denied" }])).failure, "grant-refused");
  const dead = { error: "access_denied", error_description: "The refresh token is expired" };
  assert.equal((await failure(t, [401, dead])).failure, "grant-refused");
});

test("a code that cannot be exchanged is the fault of what was sent, unless a page answered", async (t) => {
  assert.equal(
    (await failure(t, [400, { error: "odd_error" }], "authorization_code")).failure,
    "configuration",
  );
  assert.equal((await failure(t, [403, html], "authorization_code")).failure, "transient");
});

test("an error that is an object is reported in its words", async (t) => {
  const { message } = await failure(t, [400, { error: { code: "odd", message: "the app was removed" } }]);
  assert.match(message, /odd: the app was removed/);
  assert.doesNotMatch(message, /object Object/);
});

test("an answer that begins with a byte order mark is read, and ids keep their digits", async (t) => {
  const text = '\uFEFF{"access_token": "new", "account": 9007199254740993}';
  const { accessToken, fields } = await ask(t, [200, text]);
  assert.equal(accessToken.token, "new");
  assert.equal(String(fields["account"]), "9007199254740993");
});
