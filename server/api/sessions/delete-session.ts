/** DELETE /v1/sessions/current: signs out. */
import type { SignInSessions } from "../../access/sign-in-sessions.ts";
import { Problem } from "../../ground/errors.ts";
import { endpoint } from "../../http/endpoint.ts";

export const deleteSession = (deps: { sessions: SignInSessions }) =>
  endpoint({
    operationId: "deleteSession",
    tag: "People",
    summary: "Sign out",
    description: "Ends the session of the token that the call carries, at once and in every process.",
    success: { status: 204, description: "Signed out; the token opens nothing any more." },
    refusals: { 404: "The token is the issuer's: its session ends there." },
    async handle({ caller }) {
      if (caller.sessionId) return deps.sessions.signOut(caller.sessionId);
      throw new Problem("not-found", {
        detail:
          "You did not sign in here, so there is no session to end. Sign out at the issuer of your token.",
      });
    },
  });
