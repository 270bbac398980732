/** GET /v1/sessions/current */
import type { SignInSessions } from "../../access/sign-in-sessions.ts";
import { endpoint, Page } from "../../http/endpoint.ts";
import { CurrentSessionSchema, toCurrentSession } from "./session.ts";

export const getSession = (deps: { sessions: SignInSessions }) =>
  endpoint({
    operationId: "getSession",
    tag: "People",
    summary: "Get the current session",
    description:
      "Tells a page whether somebody is signed in. A cookie that has ended, or that another site's page sends, is " +
      "the same as none: 204.",
    success: { status: 200, description: "The session.", schema: CurrentSessionSchema },
    otherAnswers: { 204: { description: "Nobody is signed in." } },
    refusals: { 401: "The bearer token is not that of an open session." },
    async handle({ headers }) {
      const session = await deps.sessions.current(headers);
      return session ? toCurrentSession(session) : new Page("", { status: 204, headers: {} });
    },
  });
