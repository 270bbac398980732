/** DELETE /v1/sessions/{sessionId}: signs out. */
import { Type } from "typebox";
import { expiredCookie } from "../../access/session-cookie.ts";
import type { SignInSessions } from "../../access/sign-in-sessions.ts";
import { Problem } from "../../../ground/errors.ts";
import { endpoint, Page } from "../../http/endpoint.ts";

export const deleteSession = (deps: { sessions: SignInSessions; publicUrl: () => string }) =>
  endpoint({
    operationId: "deleteSession",
    tag: "People",
    summary: "Sign out",
    description: "Ends one of your sessions, immediately and in all processes.",
    params: Type.Object({
      sessionId: Type.String({
        description: "`current` for the session that the request sends, or the id of one of yours.",
      }),
    }),
    success: { status: 204, description: "Signed out. The session is rejected from now on." },
    refusals: { 404: "You have no such session. A token of an issuer has none: sign out there." },
    async handle({ caller: { builderId = "", sessionId }, params }) {
      const id = params.sessionId === "current" ? sessionId : params.sessionId.toLowerCase();
      if (id === undefined) throw noSession("Your token comes from an issuer, so there is no session here.");
      const kind = await deps.sessions.end({ id, builderId });
      if (!kind) throw noSession(`You have no session \`${params.sessionId}\`.`);
      if (kind !== "cookie" || id !== sessionId) return undefined;
      const headers = { "set-cookie": expiredCookie(deps.publicUrl()) };
      return new Page("", { status: 204, headers });
    },
  });

const noSession = (detail: string): Problem =>
  new Problem("not-found", { detail: `${detail} List yours with GET /v1/sessions.` });
