/** GET /callbacks/v1/custom-auth/begin: the page before the provider's page. */
import { Type } from "typebox";
import { nowMs } from "../../../ground/clock.ts";
import { endpoint, type Page } from "../../http/endpoint.ts";
import {
  findCustomAuthByAddress,
  noteCustomAuthDeparture,
  type ShownCustomAuthSession,
} from "../../store/custom-auth-sessions.ts";
import { htmlPage } from "../docs/html-page.ts";
import { browserHash, browserSecret, CUSTOM_AUTH_PATH, digest } from "./browser-binding.ts";
import { askingPage, failurePage } from "./consent-pages.ts";
import { formTargets, findNames } from "./consent-outcome.ts";
import { CUSTOM_BEGIN_PATH, openProgress, SESSION_MS, type FlowServices } from "./custom-auth-flow.ts";
import { unknownAddress } from "./oauth-begin.ts";
import { redirect } from "./redirect-to-provider.ts";

export const customAuthBegin = (deps: FlowServices) =>
  endpoint({
    operationId: "customAuthBegin",
    tag: "OAuth",
    summary: "Ask the customer before the provider's page",
    description:
      "`POST /v1/custom-auth/connect` returns this URL. The page names the application, the account and the group, and asks " +
      "whether to continue. At a later step, the browser that continued before is redirected at once.",
    query: Type.Object({
      consent: Type.String({ maxLength: 255, description: "Token of the session." }),
    }),
    success: htmlPage("The page."),
    otherPages: {
      303: "Redirect to the provider's page.",
      400: "The URL is unknown, was used or has expired.",
    },
    async handle({ query, headers }) {
      const session = await findCustomAuthByAddress(deps.database.queries, digest(query.consent));
      if (!session) return unknownAddress();
      const { flowId: id } = session;
      if (session.browserHash) {
        const own = browserHash(id, headers);
        return own ? leave(deps, session, own) : otherBrowser(session);
      }
      const { proof, header: cookie } = browserSecret(
        { id, path: CUSTOM_AUTH_PATH },
        headers,
        deps.publicUrl(),
      );
      const action = CUSTOM_BEGIN_PATH;
      const form = { action, token: query.consent, proof, cookie, targets: formTargets(deps) };
      const providerWorkspaceRef = session.providerMetadata["workspace"]?.value ?? null;
      return askingPage({ ...session, providerWorkspaceRef }, form, findNames(deps, session));
    },
  });

/** Returns the redirect to the provider's page, if the session belongs to this browser or to none yet. */
export async function leave(
  deps: FlowServices,
  session: ShownCustomAuthSession,
  hash: Buffer,
): Promise<Page> {
  const expireTime = new Date(nowMs() + SESSION_MS);
  const own = await noteCustomAuthDeparture(deps.database.queries, session.id, {
    browserHash: hash,
    expireTime,
  });
  return own ? redirect(new URL(openProgress(deps.sealer, session).url)) : otherBrowser(session);
}

const otherBrowser = ({ appName: app }: ShownCustomAuthSession): Page =>
  failurePage({
    message: `This address was opened in another browser. Go back to ${app} and connect again.`,
    app,
  });
