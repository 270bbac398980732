/** Calls a provider's health check, the address that the catalog names for testing credentials. */
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
  try {
    const values = addressValues(live);
    const url = healthCheckUrl(provider, { values, allowPlainHttp: egress.allowsPlainHttp });
    if (!url) return "unknown";
    for (const [name, value] of authorization.query) url.searchParams.set(name, value);
    const { status } = await egress.send({
      url,
      method: provider.authHealthCheck?.method ?? "GET",
      headers: { accept: "application/json", ...Object.fromEntries(authorization.headers) },
      totalTimeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
    });
    if (status === 401) return "refused";
    const good = provider.authHealthCheck?.successStatusCodes ?? [200];
    return good.includes(status) ? "fine" : "unknown";
  } catch (error) {
    if (error instanceof TemplateError || error instanceof EgressError) return "unknown";
    throw error;
  }
}
