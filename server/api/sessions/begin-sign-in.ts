/** GET /callbacks/v1/sign-in/begin */
import { Type } from "typebox";
import type { IssuerSignIn } from "../../access/issuer-sign-in.ts";
import { Problem } from "../../../ground/errors.ts";
import { memberProblem } from "../../../ground/member-problem.ts";
import { endpoint, Page } from "../../http/endpoint.ts";

export const beginSignIn = (deps: { issuerSignIn?: IssuerSignIn; publicUrl: () => string }) =>
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
      const returnTo = ownPath(query.returnTo ?? "/", deps.publicUrl());
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
function ownPath(path: string, publicUrl: string): string {
  const url = URL.parse(path, publicUrl);
  if (/^\/(?![/\\])[\x21-\x7e]*$/.test(path) && url && url.origin === new URL(publicUrl).origin) return path;
  const detail = "must be a path of this server: it begins with one `/` and has no spaces";
  throw memberProblem("returnTo", detail, { in: "query" });
}
