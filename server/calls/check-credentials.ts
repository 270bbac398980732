/** Checks on request whether a connection's credentials work, and updates its status. */
import { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import type { Egress } from "../egress/egress.ts";
import { healConnection, markConnectionWorking } from "../store/connections/connection-states.ts";
import { type Database, transactControl } from "../store/database/database.ts";
import type { Catalog } from "../../connector-kit/catalog.ts";
import type { HealthAnswer } from "./health-check.ts";
import type { LiveConnection } from "./live-connection.ts";
import type { LiveConnections } from "./live-connections.ts";
import { tryLive } from "./try-credentials.ts";

export interface CheckServices {
  database: Database;
  egress: Egress;
  connections: LiveConnections;
  catalog: Catalog;
}

interface CredentialCheck {
  working: boolean;
  /** What was found out; without secrets. */
  detail: string;
}

/**
 * Calls the provider's health check. Before that, a token that has expired, was refused, or was found bad is refreshed; so
 * is every token where the provider has no health check. A refusal makes the connection `bad_credentials` at once, without
 * the waiting that refused calls need: the address that was called exists for this question only.
 */
export async function checkCredentials(
  deps: CheckServices,
  connection: { id: string; projectId: string },
): Promise<CredentialCheck> {
  try {
    const found = await deps.connections.find(connection.projectId, connection.id);
    if (!found) return { working: false, detail: "The connection was deleted." };
    const isBad = found.status === "bad_credentials";
    const live = isBad && found.refreshable ? await deps.connections.forceRefresh(found) : found;
    return await judgeCredentials(deps, live, await tryLive(deps, live));
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return { working: false, detail: error.message };
  }
}

async function judgeCredentials(
  deps: CheckServices,
  live: LiveConnection,
  { health, words }: HealthAnswer,
  isFresh = false,
): Promise<CredentialCheck> {
  const name = live.provider.displayName ?? live.provider.name;
  if (health === "fine") {
    await markWorking(deps, live);
    return { working: true, detail: `${name} accepts the credentials.` };
  }
  if (live.refreshable && !isFresh) {
    const fresh = await deps.connections.forceRefresh(live).catch(async (error: unknown) => {
      // Refused, and no other token can be obtained: without a provider app the refresh itself does not say so.
      if (health === "refused" && error instanceof ProviderError && error.kind === "unauthorized")
        await deps.connections.suspects.refusedByCheck(live);
      throw error;
    });
    const again = health === "refused" ? await tryLive(deps, fresh) : { health };
    return judgeCredentials(deps, fresh, again, true);
  }
  if (health === "refused") {
    await deps.connections.suspects.refusedByCheck(live);
    return { working: false, detail: `${name} refuses the credentials${words ? `: ${words}` : ""}.` };
  }
  if (isFresh) return { working: true, detail: `${name} has issued a new access token.` };
  return {
    working: live.status !== "bad_credentials",
    detail: `${name} could not be asked, or has no address for this question; the status comes from earlier calls.`,
  };
}

async function markWorking({ database }: CheckServices, live: LiveConnection): Promise<void> {
  const { projectId, id } = live;
  await markConnectionWorking(database.control, projectId, id);
  if (live.status === "bad_credentials")
    await transactControl(database, (queries) => healConnection(queries, live));
}
