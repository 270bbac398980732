/** GET /callbacks/v1/sign-in: signs in the person whom the issuer sends back. */
import { Type } from "typebox";
import type { IssuerSignIn } from "../../access/issuer-sign-in.ts";
import { sessionCookie } from "../../access/session-cookie.ts";
import type { SignInSessions } from "../../access/sign-in-sessions.ts";
import { Problem } from "../../../ground/errors.ts";
import type { Log } from "../../../ground/log.ts";
import { endpoint, Page } from "../../http/endpoint.ts";
import { escapeHtml, styledPage } from "../../http/styled-page.ts";

const text = (description: string) => Type.Optional(Type.String({ maxLength: 10_000, description }));

export const finishSignIn = (deps: {
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
        return failurePage(deps, error === undefined ? outcome : { status: 400, why: refused(error) });
      const client = { kind: "cookie" as const, userAgent: headers["user-agent"] };
      const { token } = await deps.sessions.openFor(outcome.person, client);
      return new Page("", {
        status: 302,
        headers: {
          location: outcome.returnTo,
          "set-cookie": sessionCookie(token, deps.publicUrl()),
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
const refused = (error: string): string =>
  /^[a-z_]{1,60}$/.test(error) ? `The issuer signed nobody in: ${error}.` : "The issuer signed nobody in.";

const failurePage = (deps: { issuerSignIn?: IssuerSignIn }, { status, why }: Failed): Page =>
  styledPage({
    status,
    layout: "card",
    title: "Not signed in",
    main: `<h1>Not signed in</h1>\n<p>${escapeHtml(why)}</p>\n<p><a href="/sign-in">Sign in again</a></p>`,
    headers: deps.issuerSignIn ? { "set-cookie": deps.issuerSignIn.forget() } : {},
  });
