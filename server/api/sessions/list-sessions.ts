/** GET /v1/sessions */
import { Type } from "typebox";
import type { SignInSessions } from "../../access/sign-in-sessions.ts";
import { endpoint } from "../../http/endpoint.ts";
import { ListedSessionSchema, toListedSession } from "./session.ts";

export const listSessions = (deps: { sessions: SignInSessions }) =>
  endpoint({
    operationId: "listSessions",
    tag: "People",
    summary: "List your sessions",
    description: "The open sessions of the person who asks, in browsers and programs.",
    success: {
      status: 200,
      description: "The sessions, newest first.",
      schema: Type.Array(ListedSessionSchema),
    },
    async handle({ caller }) {
      const rows = await deps.sessions.list(caller.builderId ?? "");
      return rows.map((row) => toListedSession(row, caller.sessionId));
    },
  });
