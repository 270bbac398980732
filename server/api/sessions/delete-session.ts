/** DELETE /v1/sessions/current: signs out. */
import type { SignInSessions } from "../../access/sign-in-sessions.ts";
import { Problem } from "../../ground/errors.ts";
import { endpoint } from "../../http/endpoint.ts";

export const deleteSession = (deps: { sessions: SignInSessions }) =>
  endpoint({
    operationId: "deleteSession",
    tag: "People",
    summary: "Sign out",
    description: "Ends the session of the token in the request, immediately and in all processes.",
    success: { status: 204, description: "Signed out. The token is rejected from now on." },
    refusals: { 404: "The token comes from an issuer; sign out there." },
    async handle({ caller }) {
      if (caller.sessionId) return deps.sessions.signOut(caller.sessionId);
      throw new Problem("not-found", {
        detail: "Your token comes from an issuer, so there is no session here. Sign out at the issuer.",
      });
    },
  });
