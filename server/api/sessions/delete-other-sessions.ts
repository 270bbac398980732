/** DELETE /v1/sessions/others */
import type { SignInSessions } from "../../access/sign-in-sessions.ts";
import { endpoint } from "../../http/endpoint.ts";

export const deleteOtherSessions = (deps: { sessions: SignInSessions }) =>
  endpoint({
    operationId: "deleteOtherSessions",
    tag: "People",
    summary: "Sign out everywhere else",
    description: "Ends all your sessions except the one that the request sends.",
    success: { status: 204, description: "Signed out elsewhere." },
    handle: ({ caller }) => deps.sessions.endOthers(caller.builderId ?? "", caller.sessionId),
  });
