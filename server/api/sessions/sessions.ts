/** Sessions of people: shapes, and the endpoints for signing in and out. */
import { type Static, Type } from "typebox";
import { Problem } from "../../../ground/errors.ts";
import type { Log } from "../../../ground/log.ts";
import { toMemberProblem } from "../../../ground/member-problem.ts";
import type { IssuerSignIn } from "../../access/issuer-sign-in.ts";
import { writeExpiredCookie, isFromOwnPage, writeSessionCookie } from "../../access/session-cookie.ts";
import type { SignInSessions } from "../../access/sign-in-sessions.ts";
import { endpoint, Page, route, type Route } from "../../http/endpoint.ts";
import { escapeHtml, renderStyledPage } from "../../http/styled-page.ts";
import type { SessionRow } from "../../store/access/sessions.ts";
import { describeTime } from "../../../ground/described.ts";

export const listSessionRoutes = (deps: {
  issuerSignIn?: IssuerSignIn;
  publicUrl: () => string;
  sessions: SignInSessions;
  log: Log;
  config: { bootstrapApiKey?: string };
}): Route[] => [
  route("GET /callbacks/v1/sign-in/begin", "public", beginSignIn(deps)),
  route("GET /callbacks/v1/sign-in", "public", finishSignIn(deps)),
  route("POST /v1/sessions", "public", createSession(deps)),
  route("GET /v1/sessions", "person", listSessions(deps)),
  route("GET /v1/sessions/current", "public", getSession(deps)),
  route("DELETE /v1/sessions/others", "person", deleteOtherSessions(deps)),
  route("DELETE /v1/sessions/{sessionId}", "person", deleteSession(deps)),
  route("GET /v1/sign-in-ways", "public", listSignInWays(deps)),
];

const Id = Type.String({ description: "Id of the session." });
const BuilderId = Type.String({ description: "Id of the person." });
const Kind = Type.Enum(["cookie", "token"], {
  description: "Whether a browser sends it as a cookie, or a program as a bearer token.",
});
const SignInTime = describeTime("When the person signed in.");
const ExpireTime = describeTime("When it expires.");

/** Body of `createSession`. */
const NewSessionSchema = Type.Object(
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

const CurrentSessionSchema = Type.Object(
  { id: Id, builderId: BuilderId, kind: Kind, createTime: SignInTime, expireTime: ExpireTime },
  { title: "CurrentSession", description: "The session that a request sends." },
);

const ListedSessionSchema = Type.Object(
  {
    id: Id,
    kind: Kind,
    current: Type.Boolean({ description: "Whether this request sends it." }),
    createTime: SignInTime,
    lastUsedTime: describeTime("When it was last used, accurate to about a minute."),
    expireTime: ExpireTime,
    userAgent: Type.Optional(Type.String({ description: "The browser or program that signed in." })),
  },
  { title: "ListedSession", description: "A session of the person who asks." },
);

const toCurrentSession = (row: SessionRow): Static<typeof CurrentSessionSchema> => ({
  id: row.id,
  builderId: row.builderId,
  kind: row.kind,
  createTime: row.createTime.toISOString(),
  expireTime: row.expireTime.toISOString(),
});

const toListedSession = (
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

const listSessions = (deps: { sessions: SignInSessions }) =>
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

const getSession = (deps: { sessions: SignInSessions }) =>
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

const createSession = (deps: { sessions: SignInSessions; publicUrl: () => string }) =>
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
      if (kind === "cookie" && !isFromOwnPage(headers, deps.publicUrl()))
        throw refuseForeignPage(deps.publicUrl());
      const userAgent = headers["user-agent"];
      const session = await deps.sessions.signIn(body.apiKey, remoteAddress, { kind, userAgent });
      const { id, token, builderId } = session;
      const shown = { id, builderId, expireTime: session.expireTime.toISOString() };
      if (kind === "token") return { token, ...shown };
      return new Page(JSON.stringify(shown), {
        status: 201,
        headers: { "set-cookie": writeSessionCookie(token, deps.publicUrl()) },
        mediaType: "application/json",
      });
    },
  });

const refuseForeignPage = (publicUrl: string): Problem =>
  new Problem("forbidden", {
    detail: `\`cookie\` is for pages of ${publicUrl}. Sign in without it and send the token.`,
  });

const deleteSession = (deps: { sessions: SignInSessions; publicUrl: () => string }) =>
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
      if (id === undefined)
        throw refuseUnknownSession("Your token comes from an issuer, so there is no session here.");
      const kind = await deps.sessions.end({ id, builderId });
      if (!kind) throw refuseUnknownSession(`You have no session \`${params.sessionId}\`.`);
      if (kind !== "cookie" || id !== sessionId) return undefined;
      const headers = { "set-cookie": writeExpiredCookie(deps.publicUrl()) };
      return new Page("", { status: 204, headers });
    },
  });

const refuseUnknownSession = (detail: string): Problem =>
  new Problem("not-found", { detail: `${detail} List yours with GET /v1/sessions.` });

const deleteOtherSessions = (deps: { sessions: SignInSessions }) =>
  endpoint({
    operationId: "deleteOtherSessions",
    tag: "People",
    summary: "Sign out everywhere else",
    description: "Ends all your sessions except the one that the request sends.",
    success: { status: 204, description: "Signed out elsewhere." },
    handle: ({ caller }) => deps.sessions.endOthers(caller.builderId ?? "", caller.sessionId),
  });

const listSignInWays = (deps: { sessions: SignInSessions; config: { bootstrapApiKey?: string } }) =>
  endpoint({
    operationId: "listSignInWays",
    tag: "People",
    summary: "List the ways to sign in",
    description: "For a sign-in page: with an API key, or at an OpenID Connect issuer.",
    success: {
      status: 200,
      description: "The ways.",
      schema: Type.Object(
        {
          ways: Type.Array(
            Type.Object({
              type: Type.Enum(["apiKey", "oidc"], {
                description: "`apiKey`: `POST /v1/sessions`; `oidc`: `GET /callbacks/v1/sign-in/begin`.",
              }),
              name: Type.Optional(Type.String({ description: "Name of the issuer, for a button." })),
            }),
            { description: "The ways, the usual one first." },
          ),
          firstKey: Type.Optional(
            Type.String({ description: "Where an operator finds the key of the first start." }),
          ),
        },
        { title: "SignInWays", description: "How people sign in to this Busbar." },
      ),
    },
    async handle() {
      const { issuer } = deps.sessions;
      if (issuer) return { ways: [{ type: "oidc" as const, name: new URL(issuer).host }] };
      return { ways: [{ type: "apiKey" as const }], firstKey: explainFirstKey(deps.config.bootstrapApiKey) };
    },
  });

const explainFirstKey = (chosen: string | undefined): string =>
  chosen === undefined
    ? "The key of the first start is in the file `bootstrap.json` of the server's data folder (`BUSBAR_DATA_DIR`, by default `.busbar`)."
    : "The key of the first start is the one that the operator set as `BUSBAR_BOOTSTRAP_API_KEY`.";

const beginSignIn = (deps: { issuerSignIn?: IssuerSignIn; publicUrl: () => string }) =>
  endpoint({
    operationId: "beginSignIn",
    tag: "People",
    summary: "Go to the issuer to sign in",
    description:
      "For browsers, where an OpenID Connect issuer is set. The browser comes back to `/callbacks/v1/sign-in`, which " +
      "signs the person in. Register that address at the issuer as a redirect URI.",
    query: Type.Object({
      returnTo: Type.Optional(
        Type.String({
          maxLength: 2_000,
          description: "Path and query of the page to go to afterwards. Default: `/`.",
        }),
      ),
    }),
    success: { status: 302, description: "To the issuer's page." },
    refusals: {
      400: "`returnTo` is not a path of this server.",
      404: "No issuer is set; people sign in with an API key.",
    },
    async handle({ query }) {
      const returnTo = requireOwnPath(query.returnTo ?? "/", deps.publicUrl());
      if (!deps.issuerSignIn) {
        throw new Problem("not-found", {
          detail:
            "No sign-in issuer is set (BUSBAR_OIDC_ISSUER). Sign in with an API key: POST /v1/sessions.",
        });
      }
      const { url, cookie } = await deps.issuerSignIn.begin(returnTo);
      return new Page("", {
        status: 302,
        headers: {
          location: url.href,
          "set-cookie": cookie,
          "cache-control": "no-store",
          "referrer-policy": "no-referrer",
        },
      });
    },
  });

/** Throws a 400 Problem for an address that may lead to another host: browsers read `/\` and `/<tab>/` as `//`. */
function requireOwnPath(path: string, publicUrl: string): string {
  const url = URL.parse(path, publicUrl);
  if (/^\/(?![/\\])[\x21-\x7e]*$/.test(path) && url && url.origin === new URL(publicUrl).origin) return path;
  const detail = "must be a path of this server: it begins with one `/` and has no spaces";
  throw toMemberProblem("returnTo", detail, { in: "query" });
}

const text = (description: string) => Type.Optional(Type.String({ maxLength: 10_000, description }));

const finishSignIn = (deps: {
  issuerSignIn?: IssuerSignIn;
  sessions: SignInSessions;
  log: Log;
  publicUrl: () => string;
}) =>
  endpoint({
    operationId: "finishSignIn",
    tag: "People",
    summary: "Come back from the issuer",
    description:
      "The issuer sends the browser here. Works once, and only in the browser that began (`/callbacks/v1/sign-in/begin`).",
    query: Type.Object({
      state: text("As in the issuer's address."),
      code: text("The issuer's code."),
      error: text("Why the issuer signed nobody in."),
    }),
    success: {
      status: 302,
      description: "Signed in: to the page first asked for, with the session's cookie.",
    },
    otherPages: {
      400: "Nobody was signed in. The page says why and lets the person try again.",
      503: "Nobody was signed in: the issuer does not answer, or refuses this server. The page says which.",
    },
    async handle({ query, headers }) {
      const { state = "", code, error } = query;
      const outcome = await finish(deps, { state, code: error === undefined ? code : undefined }, headers);
      if ("why" in outcome)
        return renderFailurePage(
          deps,
          error === undefined ? outcome : { status: 400, why: describeRefusal(error) },
        );
      const client = { kind: "cookie" as const, userAgent: headers["user-agent"] };
      const { token } = await deps.sessions.openFor(outcome.person, client);
      return new Page("", {
        status: 302,
        headers: {
          location: outcome.returnTo,
          "set-cookie": writeSessionCookie(token, deps.publicUrl()),
          "cache-control": "no-store",
          "referrer-policy": "no-referrer",
        },
      });
    },
  });

interface Failed {
  status: 400 | 503;
  why: string;
}

type Finished = Exclude<Awaited<ReturnType<IssuerSignIn["finish"]>>, undefined>;

/** Returns the person, or why there is none. */
async function finish(
  deps: { issuerSignIn?: IssuerSignIn; log: Log },
  ...asked: Parameters<IssuerSignIn["finish"]>
): Promise<Finished | Failed> {
  if (!deps.issuerSignIn) return { status: 400, why: "No sign-in issuer is set on this server." };
  try {
    return (
      (await deps.issuerSignIn.finish(...asked)) ?? {
        status: 400,
        why: "This sign-in was not begun in this browser, was used already, or is too old.",
      }
    );
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    deps.log.warn({ err: error }, "sign-in at the issuer failed");
    return { status: error.slug === "unavailable" ? 503 : 400, why: error.message };
  }
}

/** Only the codes of the standard (RFC 6749 section 4.1.2.1) are shown; the rest may be anybody's text. */
const describeRefusal = (error: string): string =>
  /^[a-z_]{1,60}$/.test(error) ? `The issuer signed nobody in: ${error}.` : "The issuer signed nobody in.";

const renderFailurePage = (deps: { issuerSignIn?: IssuerSignIn }, { status, why }: Failed): Page =>
  renderStyledPage({
    status,
    layout: "card",
    title: "Not signed in",
    main: `<h1>Not signed in</h1>\n<p>${escapeHtml(why)}</p>\n<p><a href="/sign-in">Sign in again</a></p>`,
    headers: deps.issuerSignIn ? { "set-cookie": deps.issuerSignIn.forget() } : {},
  });
