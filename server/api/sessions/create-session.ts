/** POST /v1/sessions: exchanges a sign-in key for a bearer token. */
import { Type } from "typebox";
import type { SignInSessions } from "../../access/sign-in-sessions.ts";
import { endpoint } from "../../http/endpoint.ts";

export const createSession = (deps: { sessions: SignInSessions }) =>
  endpoint({
    operationId: "createSession",
    tag: "People",
    summary: "Sign in with an API key",
    description:
      "For a Busbar without an OpenID Connect issuer. The key of the first start can sign its owner in, and " +
      "so can keys that a signed-in person created with `signIn`. Send the token as `Authorization: " +
      "Bearer`; it is valid for twelve hours and ends when the key is deactivated or deleted. At most ten " +
      "wrong keys per minute and address are checked.",
    body: Type.Object({
      apiKey: Type.String({
        minLength: 1,
        maxLength: 1_000,
        description: "An API key that a person can sign in with.",
      }),
    }),
    success: {
      status: 201,
      description: "The session. Its token is returned only here.",
      schema: Type.Object(
        {
          token: Type.String({ description: "Session token. Send it as `Authorization: Bearer`." }),
          builderId: Type.String({ description: "Id of the person." }),
          expireTime: Type.String({ format: "date-time", description: "When it expires." }),
        },
        { title: "Session", description: "A session of a person who signed in with an API key." },
      ),
    },
    refusals: {
      401: "The key is unknown or inactive.",
      403: "The key is not for signing in, or people sign in at an issuer.",
      429: "Too many wrong keys from this address.",
    },
    async handle({ body, remoteAddress }) {
      const { token, builderId, expireTime } = await deps.sessions.signIn(body.apiKey, remoteAddress);
      return { token, builderId, expireTime: expireTime.toISOString() };
    },
  });
