/** POST /v1/sessions: exchanges a sign-in key for a bearer token or a cookie. */
import { Type } from "typebox";
import { isFromOwnPage, sessionCookie } from "../../access/session-cookie.ts";
import type { SignInSessions } from "../../access/sign-in-sessions.ts";
import { Problem } from "../../../ground/errors.ts";
import { endpoint, Page } from "../../http/endpoint.ts";
import { NewSessionSchema } from "./session.ts";

export const createSession = (deps: { sessions: SignInSessions; publicUrl: () => string }) =>
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
      cookie: Type.Optional(
        Type.Boolean({
          description:
            "For pages of this server: sets the session as a cookie that scripts cannot read, and returns no " +
            "token. Default false.",
        }),
      ),
    }),
    success: {
      status: 201,
      description: "The session. Its token is returned only here.",
      schema: NewSessionSchema,
    },
    refusals: {
      401: "The key is unknown or inactive.",
      403: "The key is not for signing in, people sign in at an issuer, or another site's page asks for a cookie.",
      429: "Too many wrong keys from this address.",
    },
    async handle({ body, headers, remoteAddress }) {
      const kind = body.cookie ? "cookie" : "token";
      if (kind === "cookie" && !isFromOwnPage(headers, deps.publicUrl())) throw foreignPage(deps.publicUrl());
      const userAgent = headers["user-agent"];
      const session = await deps.sessions.signIn(body.apiKey, remoteAddress, { kind, userAgent });
      const { id, token, builderId } = session;
      const shown = { id, builderId, expireTime: session.expireTime.toISOString() };
      if (kind === "token") return { token, ...shown };
      return new Page(JSON.stringify(shown), {
        status: 201,
        headers: { "set-cookie": sessionCookie(token, deps.publicUrl()) },
        mediaType: "application/json",
      });
    },
  });

const foreignPage = (publicUrl: string): Problem =>
  new Problem("forbidden", {
    detail: `\`cookie\` is for pages of ${publicUrl}. Sign in without it and send the token.`,
  });
