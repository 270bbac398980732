/** OAuth consents: the endpoints that begin them, and the pages that a customer's browser opens. */
import type { IncomingHttpHeaders } from "node:http";
import { Type } from "typebox";
import type { Catalog } from "../../../connector-kit/catalog.ts";
import { nowMs } from "../../../ground/clock.ts";
import { Problem } from "../../../ground/errors.ts";
import { isUuid, hashSecret } from "../../../ground/ids.ts";
import { normalizeMetadata } from "../../credentials/stored/provider-metadata.ts";
import { omitReported } from "../../credentials/stored/reported-metadata.ts";
import { endpoint, type Page, projectEndpoint, route, type Route } from "../../http/endpoint.ts";
import {
  findConsentByAddress,
  findConsentOfBrowser,
  noteOpened,
  type ShownConsent,
} from "../../store/connections/consents.ts";
import type { Database } from "../../store/database/database.ts";
import { getConnectionRow, ProviderMetadataInput, WorkspaceRefInput } from "../connections/connection.ts";
import { renderHtmlPage } from "../docs/render-html-page.ts";
import { ConnectionId, ConsumerRef, GroupRef } from "../members.ts";
import { explainMissingProvider } from "../explain-missing-provider.ts";
import { PROJECT } from "../paths.ts";
import { BEGIN_PATH, beginConsent, type ConsentServices } from "./begin-consent.ts";
import { readBrowserHash, getBrowserSecret, CONSENT_PATH, findProvenBrowser } from "./browser-binding.ts";
import { ConsentFailed } from "./consent-failure.ts";
import { fail, renderFailedPage, listFormTargets, mayRetry, findNames } from "./consent-outcome.ts";
import { renderAskingPage, renderFailure, renderUsed } from "./consent-pages.ts";
import { FORM_LIMIT_BYTES, parseForm } from "./form-body.ts";
import { listConsents } from "./list-consents.ts";
import { oauthCallback } from "./oauth-callback.ts";
import { redirectToProvider } from "./redirect-to-provider.ts";

export const listOauthRoutes = (deps: ConsentServices & { database: Database }): Route[] => [
  route("GET /callbacks/v1/oauth", "public", oauthCallback(deps)),
  route("GET /callbacks/v1/oauth/begin", "public", oauthBegin(deps)),
  route("POST /callbacks/v1/oauth/begin", "public", oauthContinue(deps)),
  route("POST /callbacks/v1/oauth/retry", "public", oauthRetry(deps)),
  route("POST /v1/oauth-connect", "frontend", oauthConnect(deps)),
  route(`PATCH ${PROJECT}/connections/{connectionId}:oauth-update`, "frontend", oauthUpdate(deps)),
  route(`GET ${PROJECT}/consents`, "full", listConsents(deps)),
];

const oauthConnect = (deps: ConsentServices) =>
  projectEndpoint({
    operationId: "oauthConnect",
    tag: "OAuth",
    summary: "Start connecting a customer's account",
    description:
      "Returns the URL of a page of this Busbar, valid for ten minutes and one use. Open it in a new window: it names the " +
      "application, the account and the group, and continues to the provider's consent page. The final page posts the " +
      "result to the window that opened it. A group that is already connected keeps its connection and gets new " +
      "credentials.",
    projectInBody: true,
    body: Type.Object({
      projectIdOrName: Type.Optional(Type.String({ description: "Required." })),
      projectId: Type.Optional(Type.String({ description: "Deprecated name of `projectIdOrName`." })),
      provider: Type.String({
        minLength: 1,
        description: "The provider's name in the catalog (`GET /v1/providers`).",
      }),
      groupRef: GroupRef,
      groupName: Type.Optional(
        Type.String({ maxLength: 255, description: "Display name of the group. Default: `groupRef`." }),
      ),
      consumerRef: ConsumerRef,
      consumerName: Type.Optional(
        Type.String({ maxLength: 255, description: "Display name of the person. Default: `consumerRef`." }),
      ),
      providerWorkspaceRef: Type.Optional(WorkspaceRefInput),
      providerMetadata: Type.Optional(ProviderMetadataInput),
      providerAppId: Type.Optional(
        Type.String({ description: "Default: the project's first provider app for the provider." }),
      ),
      enableCSRFProtection: Type.Optional(
        Type.Boolean({
          description: "Has no effect: every consent is bound to the browser that continues to the provider.",
        }),
      ),
    }),
    success: {
      status: 200,
      description: "The URL to open.",
      schema: Type.String(),
      media: "text/plain",
    },
    async handle({ project, caller, body }) {
      const provider = deps.catalog.of(project.id).find(body.provider);
      if (!provider) throw refuseUnknownProvider(deps.catalog.of(project.id), body.provider);
      const { groupRef, groupName, consumerRef, consumerName, providerAppId } = body;
      const given = omitReported(caller, provider, body);
      const providerMetadata = normalizeMetadata(
        provider,
        given.providerMetadata,
        given.providerWorkspaceRef,
      );
      return beginConsent(deps, {
        projectId: project.id,
        provider: provider.name,
        providerAppId,
        groupRef,
        groupName: groupName || undefined,
        consumerRef,
        consumerName: consumerName || undefined,
        providerWorkspaceRef: providerMetadata["workspace"]?.value ?? given.providerWorkspaceRef,
        providerMetadata,
      });
    },
  });

function refuseUnknownProvider(catalog: Catalog, key: string): Problem {
  const detail = explainMissingProvider(catalog, key);
  return new Problem("invalid-request", {
    detail,
    issues: [{ in: "body", name: "provider", detail, value: key }],
  });
}

const oauthUpdate = (deps: ConsentServices) =>
  projectEndpoint({
    operationId: "oauthUpdate",
    tag: "OAuth",
    summary: "Start reconnecting an account",
    description:
      "Like `POST /v1/oauth-connect`, for an existing connection: it keeps its id and gets new tokens.",
    params: Type.Object({ connectionId: ConnectionId }),
    success: {
      status: 200,
      description: "The URL to open.",
      schema: Type.String(),
      media: "text/plain",
    },
    async handle({ project, params }) {
      const row = await getConnectionRow(deps.database.control, project.id, params.connectionId);
      return beginConsent(deps, {
        projectId: project.id,
        provider: row.provider,
        providerAppId: row.providerAppId,
        connectionId: row.id,
        groupRef: row.group.groupRef,
        groupName: row.group.groupName,
        consumerRef: row.consumer.consumerRef,
        consumerName: row.consumer.consumerName,
        providerWorkspaceRef: row.providerWorkspaceRef,
        providerMetadata: row.providerMetadata,
      });
    },
  });

const oauthBegin = (deps: ConsentServices) =>
  endpoint({
    operationId: "oauthBegin",
    tag: "OAuth",
    summary: "Ask the customer before the provider's consent page",
    description:
      "`POST /v1/oauth-connect` returns this URL. The page names the application, the account and the group, and asks " +
      "whether to continue. Only the browser that continues can complete the consent.",
    query: Type.Object({
      consent: Type.String({ maxLength: 255, description: "Token of the consent." }),
    }),
    success: renderHtmlPage("The page."),
    otherPages: { 400: "The URL is unknown, was used or has expired." },
    async handle({ query, headers }) {
      const consent = await findConsentByAddress(deps.database.control, hashSecret(query.consent));
      if (!consent) return renderUnknownAddressPage();
      const closed = renderClosedPage(deps, consent, headers);
      if (closed) return closed;
      await noteOpened(deps.database.control, consent.id);
      const { proof, header: cookie } = getBrowserSecret(
        { id: consent.id, path: CONSENT_PATH },
        headers,
        deps.publicUrl(),
      );
      const form = {
        action: BEGIN_PATH,
        token: query.consent,
        proof,
        cookie,
        targets: listFormTargets(deps),
      };
      return renderAskingPage(consent, form, findNames(deps, consent));
    },
  });

/** Returns a page if this browser cannot continue with the consent. */
function renderClosedPage(
  deps: ConsentServices,
  consent: ShownConsent,
  headers: IncomingHttpHeaders,
): Page | undefined {
  const { status, appName: app, id: reference } = consent;
  const refuse = (what: string) =>
    renderFailure({ message: `${what} Go back to ${app} and connect again.`, app, reference });
  const own = readBrowserHash(consent.id, headers);
  if (consent.browserHash && !(own && consent.browserHash.equals(own)))
    return refuse("This address was opened in another browser.");
  if (status === "failed") return renderFailedPage(deps, consent, headers);
  if (status === "succeeded") return renderUsed(findNames(deps, consent));
  if (status !== "pending") return refuse("This address was used already.");
  if (consent.expireTime.getTime() <= nowMs()) return refuse("This address has expired.");
  return undefined;
}

export const renderUnknownAddressPage = (): Page =>
  renderFailure({
    message:
      "This address is not complete, or it is too old. Go back to the application that sent you here and connect again.",
  });

const oauthContinue = (deps: ConsentServices) =>
  endpoint({
    operationId: "oauthContinue",
    tag: "OAuth",
    summary: "Continue to the provider's consent page",
    description:
      "The form of `oauthBegin` sends `consent`, `proof` and `decision`, `continue` or `cancel`. The browser needs the " +
      "cookie of that page.",
    body: Type.Object({}),
    rawBodyLimitBytes: FORM_LIMIT_BYTES,
    success: { status: 303, description: "Redirect to the provider's consent page." },
    otherPages: { 400: "The customer cancelled, or the browser cannot continue." },
    async handle({ body, headers }) {
      const form = parseForm(body);
      const consent = await findConsentByAddress(
        deps.database.control,
        hashSecret(form.get("consent") ?? ""),
      );
      if (!consent) return renderUnknownAddressPage();
      const closed = renderClosedPage(deps, consent, headers);
      if (closed) return closed;
      const hash = findProvenBrowser(consent.id, headers, form.get("proof"));
      if (!hash) return withoutCookie(consent.appName);
      if (form.get("decision") !== "continue") {
        const cancelled = new ConsentFailed("cancelled", "The customer cancelled before leaving.");
        return fail(deps, consent, cancelled, headers);
      }
      return redirectToProvider(deps, consent, hash, headers);
    },
  });

export const withoutCookie = (app: string): Page =>
  renderFailure({
    message: `Your browser did not keep a cookie of this page. Allow cookies for this site, go back to ${app} and connect again.`,
    app,
  });

const oauthRetry = (deps: ConsentServices) =>
  endpoint({
    operationId: "oauthRetry",
    tag: "OAuth",
    summary: "Try a failed consent again",
    description:
      "The form of a failure's page sends `consent` and `proof`. Only the browser that continued before can try again, " +
      "for an hour after the application asked. It has seen the page of `oauthBegin`, so that is not repeated.",
    body: Type.Object({}),
    rawBodyLimitBytes: FORM_LIMIT_BYTES,
    success: { status: 303, description: "Redirect to the provider's consent page." },
    otherPages: { 400: "The consent has succeeded, is too old, or belongs to another browser." },
    async handle({ body, headers }) {
      const form = parseForm(body);
      const id = form.get("consent") ?? "";
      const hash = isUuid(id) ? findProvenBrowser(id, headers, form.get("proof")) : undefined;
      const consent = hash && (await findConsentOfBrowser(deps.database.control, id, hash));
      if (!consent || consent.status !== "failed" || !mayRetry(consent, hash))
        return renderUnknownAddressPage();
      return redirectToProvider(deps, consent, hash, headers);
    },
  });
