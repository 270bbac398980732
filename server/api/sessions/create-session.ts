/** POST /v1/sessions: a person's bearer token for an API key that signs them in. */
import { Type } from "typebox";
import type { SignInSessions } from "../../access/sign-in-sessions.ts";
import { endpoint } from "../../http/endpoint.ts";

export const createSession = (deps: { sessions: SignInSessions }) =>
  endpoint({
    operationId: "createSession",
    tag: "People",
    summary: "Sign in with an API key",
    description:
      "For a Busbar without an OpenID Connect issuer. The key of the first start signs its owner in, and so does a key " +
      "that a signed-in person made with `signIn`. Send the token as `Authorization: Bearer`; it lasts twelve hours " +
      "and ends when the key is switched off or deleted. Ten wrong keys a minute from one address are answered.",
    body: Type.Object({
      apiKey: Type.String({
        minLength: 1,
        maxLength: 1_000,
        description: "A sign-in key of a person, created with `busbar keys`.",
      }),
    }),
    success: {
      status: 201,
      description: "The session; its token is shown nowhere else.",
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
      401: "There is no such key, or it was switched off.",
      403: "The key signs nobody in, or people sign in at an issuer.",
      429: "Too many wrong keys came from this address.",
    },
    async handle({ body, remoteAddress }) {
      const { token, builderId, expireTime } = await deps.sessions.signIn(body.apiKey, remoteAddress);
      return { token, builderId, expireTime: expireTime.toISOString() };
    },
  });
