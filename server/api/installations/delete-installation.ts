/** DELETE /v1/projects/{projectIdOrName}/integrations/{integrationId}/installations/{installationId} */
import { Type } from "typebox";
import { removedConnections } from "../../events/connection-events.ts";
import { installationDeleted } from "../../events/installation-events.ts";
import { recordEvents } from "../../events/record-event.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import { removeUnusedConnections } from "../../store/connections.ts";
import { type Database, transact } from "../../store/database.ts";
import { getInstallationFields } from "../../store/events.ts";
import { lockInstallation, removeInstallation } from "../../store/installations.ts";
import { getIntegrationRow } from "../integration.ts";
import { InstallationId, IntegrationIdOrName } from "../members.ts";
import { getInstallationRow } from "./installation.ts";

export const deleteInstallation = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "deleteInstallation",
    tag: "Installations",
    summary: "Delete an installation",
    description:
      "Deletes its connection as well, unless another installation uses it. Its operations can still be read.",
    params: Type.Object({ integrationId: IntegrationIdOrName, installationId: InstallationId }),
    success: { status: 204, description: "Deleted." },
    async handle({ project, params }) {
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
