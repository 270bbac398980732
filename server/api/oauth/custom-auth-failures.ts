/** Records failed attempts of custom authentication in the list of consents. */
import { Problem } from "../../../ground/errors.ts";
import { newId, hashSecret, newSecret } from "../../../ground/ids.ts";
import type { Log } from "../../../ground/log.ts";
import { insertFailedConsent } from "../../store/connections/consents.ts";
import type { Database } from "../../store/database/database.ts";
import { ConsentFailed, explainConsentFailure, explainRefusedConsent } from "./consent-failure.ts";

/** The customer and the provider of an attempt. */
interface Attempt {
  projectId: string;
  provider: { name: string };
  app?: { id: string };
  groupRef: string;
  groupName?: string;
  consumerRef: string;
  consumerName?: string;
  earlier?: { leaveTime: Date | null };
}

/**
 * Runs a part of the flow; records and logs its failure, and throws it again. Input that is refused before the provider is
 * asked is no attempt. A failure of 500 and above is logged by the request that it ends, so only there. `params` are those of the provider's page.
 */
export async function recordFailures<Result>(
  deps: { database: Database; log: Log },
  attempt: Attempt,
  work: () => Promise<Result>,
  params: Record<string, string> = {},
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const status = error instanceof Problem ? error.status : 500;
    if (!(error instanceof Problem && error.slug === "invalid-request"))
      await record(deps, attempt, asFailure(error, params), { isLogged: status >= 500 });
    throw error;
  }
}

async function record(
  { database, log }: { database: Database; log: Log },
  attempt: Attempt,
  { reason, message: detail }: ConsentFailed,
  { isLogged }: { isLogged: boolean },
): Promise<void> {
  const { projectId, groupRef, groupName, consumerRef, consumerName } = attempt;
  const [id, provider] = [newId(), attempt.provider.name];
  if (!isLogged)
    log.warn({ consentId: id, projectId, provider, reason, detail }, "a custom authentication failed");
  try {
    await insertFailedConsent(database.control, {
      id,
      projectId,
      provider,
      // The hash of an address that is not given to anybody: this consent cannot be begun.
      beginHash: hashSecret(newSecret()),
      providerAppId: attempt.app?.id ?? null,
      groupRef,
      groupName: groupName ?? null,
      consumerRef,
      consumerName: consumerName ?? null,
      providerWorkspaceRef: null,
      providerMetadata: {},
      reason,
      detail,
      leaveTime: attempt.earlier?.leaveTime ?? null,
    });
  } catch (err) {
    // The caller gets the failure itself.
    log.warn({ consentId: id, projectId, err }, "the failure of a custom authentication could not be stored");
  }
}

function asFailure(error: unknown, params: Record<string, string>): ConsentFailed {
  if (params["error"] !== undefined)
    return explainRefusedConsent(params["error"], params["error_description"]);
  if (!(error instanceof Problem)) return explainConsentFailure(error);
  const { detail } = error.options;
  if (error.slug === "provider-refused") return new ConsentFailed("provider-refused", detail);
  if (error.status >= 502) return new ConsentFailed("provider-unavailable", detail);
  return explainConsentFailure(error);
}
