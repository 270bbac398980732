/** The session as the API shows it. */
import { Type, type Static } from "typebox";
import type { SessionRow } from "../../store/sessions.ts";

const Id = Type.String({ description: "Id of the session." });
const BuilderId = Type.String({ description: "Id of the person." });
const Kind = Type.Enum(["cookie", "token"], {
  description: "Whether a browser sends it as a cookie, or a program as a bearer token.",
});
const SignInTime = Type.String({ format: "date-time", description: "When the person signed in." });
const ExpireTime = Type.String({ format: "date-time", description: "When it expires." });

/** Of `createSession`. */
export const NewSessionSchema = Type.Object(
  {
    id: Id,
    token: Type.Optional(
      Type.String({
        description: "Session token, to send as `Authorization: Bearer`. Absent with `cookie`.",
      }),
    ),
    builderId: BuilderId,
    expireTime: ExpireTime,
  },
  { title: "Session", description: "A session of a person who signed in with an API key." },
);

export const CurrentSessionSchema = Type.Object(
  { id: Id, builderId: BuilderId, kind: Kind, createTime: SignInTime, expireTime: ExpireTime },
  { title: "CurrentSession", description: "The session that a request sends." },
);

export const ListedSessionSchema = Type.Object(
  {
    id: Id,
    kind: Kind,
    current: Type.Boolean({ description: "Whether this request sends it." }),
    createTime: SignInTime,
    lastUsedTime: Type.String({
      format: "date-time",
      description: "When it was last used, accurate to about a minute.",
    }),
    expireTime: ExpireTime,
    userAgent: Type.Optional(Type.String({ description: "The browser or program that signed in." })),
  },
  { title: "ListedSession", description: "A session of the person who asks." },
);

export const toCurrentSession = (row: SessionRow): Static<typeof CurrentSessionSchema> => ({
  id: row.id,
  builderId: row.builderId,
  kind: row.kind,
  createTime: row.createTime.toISOString(),
  expireTime: row.expireTime.toISOString(),
});

export const toListedSession = (
  row: SessionRow,
  current: string | undefined,
): Static<typeof ListedSessionSchema> => ({
  id: row.id,
  kind: row.kind,
  current: row.id === current,
  createTime: row.createTime.toISOString(),
  lastUsedTime: row.lastUsedTime.toISOString(),
  expireTime: row.expireTime.toISOString(),
  ...(row.userAgent !== null && { userAgent: row.userAgent }),
});
