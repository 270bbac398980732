/** GET /v1/projects/{projectIdOrName}/integrations/{integrationId}/installations/{installationId} */
import { Type } from "typebox";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { getIntegrationRow } from "../integration.ts";
import { InstallationId, IntegrationIdOrName } from "../members.ts";
import { getInstallationRow, InstallationSchema, showInstallation } from "./installation.ts";

export const getInstallation = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "getInstallation",
    tag: "Installations",
    summary: "Get an installation",
    description: "With its configuration and connection.",
    params: Type.Object({ integrationId: IntegrationIdOrName, installationId: InstallationId }),
    success: { status: 200, description: "The installation.", schema: InstallationSchema },
    async handle({ project, params }) {
      const { queries } = deps.database;
      const integration = await getIntegrationRow(queries, project.id, params.integrationId);
      const row = await getInstallationRow(queries, project.id, integration.id, params.installationId);
      return showInstallation(queries, row);
    },
  });
