/** DELETE /v1/projects/{projectIdOrName}/integrations/{integrationId}/installations/{installationId} */
import { Type } from "typebox";
import { removedConnections } from "../../events/connection-events.ts";
import { installationDeleted } from "../../events/installation-events.ts";
import { recordEvents } from "../../events/record-event.ts";
import type { Log } from "../../../ground/log.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { CallServices } from "../../operations/call-provider.ts";
import { removeUnusedConnections } from "../../store/connections.ts";
import { transact } from "../../store/database.ts";
import { getInstallationFields } from "../../store/events.ts";
import { lockInstallation, removeInstallation } from "../../store/installations.ts";
import { deselectBeforeRemoval } from "../../subscribe/deselect-objects.ts";
import { getIntegrationRow } from "../integration.ts";
import { InstallationId, IntegrationIdOrName } from "../members.ts";
import { getInstallationRow } from "./installation.ts";

export const deleteInstallation = (deps: CallServices & { log: Log }) =>
  projectEndpoint({
    operationId: "deleteInstallation",
    tag: "Installations",
    summary: "Delete an installation",
    description:
      "Deletes its connection as well, unless another installation uses it. Its operations can still be read.",
    params: Type.Object({ integrationId: IntegrationIdOrName, installationId: InstallationId }),
    success: { status: 204, description: "Deleted." },
    async handle({ project, params }) {
      const { queries: outside } = deps.database;
      const of = await getIntegrationRow(outside, project.id, params.integrationId);
      const going = await getInstallationRow(outside, project.id, of.id, params.installationId);
      await deselectBeforeRemoval(deps, going.id);
      await transact(deps.database, async (queries) => {
        const integration = await getIntegrationRow(queries, project.id, params.integrationId);
        const find = () => getInstallationRow(queries, project.id, integration.id, params.installationId);
        await lockInstallation(queries, project.id, (await find()).id);
        const { id, config } = await find();
        const fields = await getInstallationFields(queries, id);
        const removed = await removeInstallation(queries, project.id, id);
        const gone = removed
          ? await removeUnusedConnections(queries, project.id, [removed.connectionId])
          : [];
        await recordEvents(queries, [
          installationDeleted(fields, config.content),
          ...removedConnections(gone, [fields]),
        ]);
      });
    },
  });
