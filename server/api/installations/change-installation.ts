/** Changes an installation under its lock, so that two changes at once are both kept. */
import type { Catalog } from "../../../connectors/catalog.ts";
import { installationUpdated } from "../../deliver/payloads/installation-events.ts";
import { recordEvent } from "../../deliver/record-event.ts";
import type { Caller } from "../../http/endpoint.ts";
import type { ConfigContent } from "../../manifest/config.ts";
import { type Database, type Queries, transact } from "../../store/database.ts";
import { getInstallationFields } from "../../store/events.ts";
import { insertConfig, lockInstallation, touchInstallation } from "../../store/installations.ts";
import { createdByOf } from "../created-by.ts";
import { getIntegrationRow, type Integration } from "../integrations/integration.ts";
import {
  getInstallationRow,
  showInstallation,
  type Installation,
  type StoredInstallation,
} from "./installation.ts";

export interface ChangeServices {
  database: Database;
  catalog: Catalog;
}

/** What the installation is when the change is decided; nobody else changes it until then. */
export interface Situation {
  queries: Queries;
  integration: Integration;
  installation: StoredInstallation;
}

export interface Change {
  connectionId?: string;
  /** Becomes a configuration of its own, of the latest revision. */
  config?: { content: ConfigContent; createdBy?: string };
}

/** The installation after the change. `find` says which one is meant; both callbacks throw Problems. */
export async function changeInstallation(
  on: ChangeServices,
  asked: { projectId: string; integrationId: string; caller: Caller; operation: string },
  find: (queries: Queries, integration: Integration) => Promise<{ id: string }>,
  decide: (situation: Situation) => Promise<Change>,
): Promise<Installation> {
  const { projectId } = asked;
  return transact(on.database, async (queries) => {
    const named = await getIntegrationRow(queries, projectId, asked.integrationId);
    const { id } = await find(queries, named);
    await lockInstallation(queries, projectId, id);
    // Read again: whoever held the lock before may have changed it, and a revision may have been deployed meanwhile.
    const integration = await getIntegrationRow(queries, projectId, named.id);
    const installation = await getInstallationRow(queries, projectId, integration.id, id);
    const { connectionId, config } = await decide({ queries, integration, installation });
    if (config) {
      const revisionId = integration.latestRevision.id;
      const createdBy = createdByOf(asked.caller, config.createdBy, asked.operation);
      await insertConfig(queries, { projectId, installationId: id, revisionId, ...config, createdBy });
    }
    if (config || connectionId) {
      await touchInstallation(queries, projectId, id, { connectionId });
      const last = installation.config.content;
      const fields = await getInstallationFields(queries, id);
      await recordEvent(queries, installationUpdated(fields, config?.content ?? last, last));
    }
    return showInstallation(queries, await getInstallationRow(queries, projectId, integration.id, id));
  });
}
