/** Calls a provider's health check, the address that the catalog names for testing credentials. */
import type { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import type { Connector } from "../../connector-kit/connector.ts";
import { authorizeRequest } from "../../connector-kit/provider/authorize-request.ts";
import { fillHealthCheckUrl, TemplateError } from "../../connector-kit/provider/template.ts";
import { withoutSecrets } from "../../ground/without-secrets.ts";
import { listAddressValues } from "../credentials/stored/provider-metadata.ts";
import { EgressError } from "../egress/egress-error.ts";
import type { Egress } from "../egress/egress.ts";
import { readRefusalWords } from "../credentials/grants/token-refusal.ts";
import { isForeignSignIn } from "./authorized-fetch.ts";
import { listSecrets, type LiveConnection } from "./live-connection.ts";

/** `unknown`: there is no health check, or its answer says nothing about the credentials. */
export type Health = "fine" | "refused" | "unknown";

export interface HealthAnswer {
  health: Health;
  /** The provider's words, without secrets. */
  words?: string;
}

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 256 * 1024;

/** `classify` finds the words where only the connector's description knows their place. */
export async function askHealth(
  egress: Egress,
  live: LiveConnection,
  classify?: Connector["classify"],
): Promise<HealthAnswer> {
  const { provider, authorization } = live;
  const { signer } = authorization;
  try {
    const values = listAddressValues(live);
    const url = fillHealthCheckUrl(provider, { values, allowPlainHttp: egress.allowsPlainHttp });
    if (!url) return { health: "unknown" };
    const { method = "GET", awsService: service = signer?.service ?? "" } = provider.authHealthCheck ?? {};
    const added = { ...authorization, ...(signer && { signer: { ...signer, service } }) };
    const { status, headers, text } = await egress.send({
      ...(await authorizeRequest(added, { url, method })),
      totalTimeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
    });
    const { successStatusCodes, refusals = [] } = provider.authHealthCheck ?? {};
    const said = text();
    const isRefused =
      (status === 401 && !isForeignSignIn({ status, headers, text: said })) ||
      refusals.some((refusal) => refusal.status === status && said.includes(refusal.text));
    const isFine = successStatusCodes ? successStatusCodes.includes(status) : status >= 200 && status < 300;
    if (isFine && !isRefused) return { health: "fine" };
    const told =
      readRefusalWords(said, listSecrets(live)) ||
      findWords(classify?.({ status, headers, text: said }), listSecrets(live));
    const words = [`${url.host} answered ${status}`, told].filter(Boolean).join(": ");
    return { health: isRefused ? "refused" : "unknown", words };
  } catch (error) {
    if (error instanceof TemplateError || error instanceof EgressError)
      return { health: "unknown", words: error.message };
    throw error;
  }
}

const LONGEST_WORDS = 300;

/** Returns the words of an error that are the provider's own; a message without a reason only repeats the status. */
const findWords = (error: ProviderError | undefined, secrets: string[]): string =>
  error && !error.message.includes(`answered ${error.status}`)
    ? withoutSecrets(error.message, secrets).slice(0, LONGEST_WORDS).toWellFormed()
    : "";
