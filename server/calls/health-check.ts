/** Calls a provider's health check, the address that the catalog names for testing credentials. */
import { authorizeRequest } from "../../connector-kit/authorize-request.ts";
import { healthCheckUrl, TemplateError } from "../../connector-kit/template.ts";
import { addressValues } from "../credentials/stored/provider-metadata.ts";
import { EgressError } from "../egress/egress-error.ts";
import type { Egress } from "../egress/open-egress.ts";
import type { LiveConnection } from "./live-connection.ts";

/** `unknown`: there is no health check, or its answer says nothing about the credentials. */
export type Health = "fine" | "refused" | "unknown";

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 256 * 1024;

export async function askHealth(egress: Egress, live: LiveConnection): Promise<Health> {
  const { provider, authorization } = live;
  const { signer } = authorization;
  try {
    const values = addressValues(live);
    const url = healthCheckUrl(provider, { values, allowPlainHttp: egress.allowsPlainHttp });
    if (!url) return "unknown";
    const { method = "GET", awsService: service = signer?.service ?? "" } = provider.authHealthCheck ?? {};
    const added = { ...authorization, ...(signer && { signer: { ...signer, service } }) };
    const { status, body } = await egress.send({
      ...(await authorizeRequest(added, { url, method })),
      totalTimeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
    });
    const { successStatusCodes, refusals = [] } = provider.authHealthCheck ?? {};
    if (status === 401) return "refused";
    if (refusals.some((refusal) => refusal.status === status && body.includes(refusal.text)))
      return "refused";
    const isFine = successStatusCodes ? successStatusCodes.includes(status) : status >= 200 && status < 300;
    return isFine ? "fine" : "unknown";
  } catch (error) {
    if (error instanceof TemplateError || error instanceof EgressError) return "unknown";
    throw error;
  }
}
