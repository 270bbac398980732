/** DELETE /v1/projects/{projectIdOrName}/integrations/{integrationIdOrName} */
import { Type } from "typebox";
import { removedConnections } from "../../events/connection-events.ts";
import { installationDeleted } from "../../events/installation-events.ts";
import { recordEvents } from "../../events/record-event.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { ConfigContent } from "../../../manifest/installation-config.ts";
import { type Database, transact } from "../../store/database.ts";
import { removeUnusedConnections } from "../../store/connections.ts";
import { listInstallationFields } from "../../store/events.ts";
import { listInstallations, removeIntegrationInstallations } from "../../store/installations.ts";
import { lockIntegration, removeIntegration } from "../../store/integrations.ts";
import { IntegrationIdOrName } from "../members.ts";
import { getIntegrationRow } from "../integration.ts";

export const deleteIntegration = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "deleteIntegration",
    tag: "Integrations",
    summary: "Delete an integration",
    description:
      "Deletes its revisions and installations as well, and the connections that no other installation uses.",
    params: Type.Object({ integrationIdOrName: IntegrationIdOrName }),
    success: { status: 204, description: "Deleted." },
    async handle({ project, params }) {
      await transact(deps.database, async (queries) => {
        const find = () => getIntegrationRow(queries, project.id, params.integrationIdOrName);
        await lockIntegration(queries, project.id, (await find()).id);
        const { id } = await find();
        const listed = await listInstallations<ConfigContent>(queries, project.id, { integrationId: id });
        const fields = await listInstallationFields(
          queries,
          listed.map((installation) => installation.id),
        );
        const removed = await removeIntegrationInstallations(queries, project.id, id);
        await removeIntegration(queries, project.id, id);
        const connectionIds = removed.map((installation) => installation.connectionId);
        const gone = await removeUnusedConnections(queries, project.id, connectionIds);
        // A listed one may have been deleted, and told, by another request since.
        const removedIds = new Set(removed.map((installation) => installation.id));
        const told = listed.flatMap((installation) => {
          const of = removedIds.has(installation.id) ? fields.get(installation.id) : undefined;
          return of ? [installationDeleted(of, installation.config.content)] : [];
        });
        await recordEvents(queries, [...told, ...removedConnections(gone, [...fields.values()])]);
      });
    },
  });
