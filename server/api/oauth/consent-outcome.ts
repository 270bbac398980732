/** Ends a consent: stores and logs how, and returns the page for the customer. */
import type { IncomingHttpHeaders } from "node:http";
import { nowMs } from "../../../ground/clock.ts";
import type { Page } from "../../http/endpoint.ts";
import { endConsent, type ShownConsent } from "../../store/connections/consents.ts";
import type { ConsentServices } from "./begin-consent.ts";
import { readBrowserHash, getBrowserSecret, CONSENT_PATH } from "./browser-binding.ts";
import { isRetryable, REASONS, type ConsentFailed, type FailureReason } from "./consent-failure.ts";
import { renderFailure, renderSuccessPage } from "./consent-pages.ts";

const RETRY_PATH = `${CONSENT_PATH}/retry`;

/** Counted from the application's request, because the customer may lose the right to connect after it. */
const RETRY_MS = 60 * 60_000;

export async function succeed(
  deps: ConsentServices,
  consent: ShownConsent,
  connectionId: string,
): Promise<Page> {
  const { control } = deps.database;
  // The connection is stored, so the customer has succeeded even if this fails.
  await endConsent(control, consent.id, { status: "succeeded", connectionId }).catch((error: unknown) =>
    deps.log.warn(
      { consentId: consent.id, projectId: consent.projectId, err: error },
      "the end of a consent could not be stored",
    ),
  );
  return renderSuccessPage(connectionId, findNames(deps, consent));
}

export async function fail(
  deps: ConsentServices,
  consent: ShownConsent,
  { reason, message: detail, cause }: ConsentFailed,
  headers: IncomingHttpHeaders,
): Promise<Page> {
  const message = REASONS[reason].reported(findNames(deps, consent));
  const { id: consentId, projectId, provider } = consent;
  const line = { consentId, projectId, provider, reason, detail };
  if (reason === "internal") deps.log.error({ ...line, err: cause }, "a consent failed");
  else deps.log[CUSTOMERS_OWN.has(reason) ? "info" : "warn"](line, "a consent failed");
  await endConsent(deps.database.control, consentId, { status: "failed", reason, message, detail });
  return renderFailedPage(deps, { ...consent, reason, message }, headers);
}

/** Returns the page of a consent that has failed, with a form to try again where that may help. */
export function renderFailedPage(
  deps: ConsentServices,
  consent: Pick<ShownConsent, "id" | "appName" | "reason" | "message" | "browserHash" | "createTime">,
  headers: IncomingHttpHeaders,
): Page {
  const { proof } = getBrowserSecret({ id: consent.id, path: CONSENT_PATH }, headers, deps.publicUrl());
  const again = consent.reason !== null && isRetryable(consent.reason);
  return renderFailure({
    message: consent.message ?? "",
    app: consent.appName,
    reference: consent.id,
    ...(again &&
      mayRetry(consent, readBrowserHash(consent.id, headers)) && {
        again: { action: RETRY_PATH, consentId: consent.id, proof, targets: listFormTargets(deps) },
      }),
  });
}

/** Returns whether this browser has continued to the provider before, and may do so again. */
export const mayRetry = (
  { browserHash: own, createTime }: Pick<ShownConsent, "browserHash" | "createTime">,
  hash: Buffer | undefined,
): boolean =>
  own !== null && hash !== undefined && own.equals(hash) && nowMs() - createTime.getTime() < RETRY_MS;

/** Returns where forms may lead: browsers check the whole chain of redirects, which only the provider knows. */
export const listFormTargets = ({ publicUrl }: Pick<ConsentServices, "publicUrl">): string =>
  publicUrl().startsWith("https:") ? "https:" : "https: http:";

export const findNames = (
  { catalog }: Pick<ConsentServices, "catalog">,
  { appName, provider, projectId }: Pick<ShownConsent, "appName" | "provider" | "projectId">,
) => ({ app: appName, provider: catalog.of(projectId).find(provider)?.displayName ?? provider });

/** Reasons after which the builder has nothing to repair. */
const CUSTOMERS_OWN = new Set<FailureReason>(["cancelled", "declined", "late", "other-browser"]);
