/** GET …/installations/{installationId}/objects/{objectName}/backfill-progress */
import { Type } from "typebox";
import { Problem } from "../../ground/errors.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { getInstallationRow } from "../installations/installation.ts";
import { getIntegrationRow } from "../integration.ts";
import { InstallationId, IntegrationIdOrName, ObjectName } from "../members.ts";
import { CreateTime, UpdateTime } from "../times.ts";

const BackfillProgressSchema = Type.Object(
  {
    installationId: InstallationId,
    objectName: Type.String({ description: "The provider's name for the object." }),
    operationId: Type.String({ description: "Id of the read operation." }),
    recordsProcessed: Type.Integer({ description: "Records read so far." }),
    recordsEstimatedTotal: Type.Optional(
      Type.Integer({ description: "Total number of records, if the provider reports it." }),
    ),
    createTime: CreateTime,
    updateTime: UpdateTime,
  },
  { title: "BackfillProgress", description: "Progress of the backfill of an object." },
);

export const getBackfillProgress = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "getBackfillProgress",
    tag: "Operations",
    summary: "Get the progress of a backfill",
    description: "Not built yet: answers 501 for an existing installation.",
    params: Type.Object({
      integrationId: IntegrationIdOrName,
      installationId: InstallationId,
      objectName: ObjectName,
    }),
    success: { status: 200, description: "The progress.", schema: BackfillProgressSchema },
    refusals: { 501: "Always for an existing installation: reading is not built yet." },
    async handle({ project, params }) {
      const { queries } = deps.database;
      const { id } = await getIntegrationRow(queries, project.id, params.integrationId);
      await getInstallationRow(queries, project.id, id, params.installationId);
      throw new Problem("not-built", {
        detail: "Reading is not built yet, so there is no backfill. Read the account through the proxy.",
        remedy: "Read the account through the proxy.",
      });
    },
  });
