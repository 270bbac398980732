/** GET …/installations/{installationId}/objects/{objectName}/backfill-progress */
import { Type, type Static } from "typebox";
import { Problem } from "../../ground/errors.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import { syncNow, type SyncNowServices } from "../../read/sync-read-objects.ts";
import { transact } from "../../store/database.ts";
import type { OperationRow } from "../../store/operations.ts";
import { findBackfill, listReadObjects } from "../../store/read-objects.ts";
import { getInstallationRow } from "../installations/installation.ts";
import { getIntegrationRow } from "../integration.ts";
import { InstallationId, IntegrationIdOrName, ObjectName } from "../members.ts";
import { CreateTime, times, UpdateTime } from "../times.ts";
import { toOperation } from "./operation.ts";

const BackfillProgressSchema = Type.Object(
  {
    installationId: InstallationId,
    objectName: Type.String({ description: "Name of the object, as it was asked for." }),
    operationId: Type.String({ description: "Id of the read operation." }),
    recordsProcessed: Type.Integer({ description: "Records read so far." }),
    recordsEstimatedTotal: Type.Optional(
      Type.Integer({ description: "Total number of records, if the provider reports it." }),
    ),
    createTime: CreateTime,
    updateTime: Type.Optional(UpdateTime),
  },
  { title: "BackfillProgress", description: "Progress of the backfill of an object." },
);

export const getBackfillProgress = (deps: SyncNowServices) =>
  projectEndpoint({
    operationId: "getBackfillProgress",
    tag: "Operations",
    summary: "Get the progress of a backfill",
    description:
      "Returns how many records the backfill of an object has read, also after its end; `GET …/operations/{operationId}` " +
      "tells whether it is over. A backfill begins when the object is installed, and again after another account was " +
      "connected.",
    params: Type.Object({
      integrationId: IntegrationIdOrName,
      installationId: InstallationId,
      objectName: ObjectName,
    }),
    success: { status: 200, description: "The progress.", schema: BackfillProgressSchema },
    refusals: { 404: "There is no such installation, or it has no backfill of the object." },
    async handle({ project, params }) {
      const { queries } = deps.database;
      const { integrationId, installationId, objectName } = params;
      const integration = await getIntegrationRow(queries, project.id, integrationId);
      const installation = await getInstallationRow(queries, project.id, integration.id, installationId);
      // So that the backfill is there for a caller that has just installed.
      await transact(deps.database, (transaction) => syncNow(deps, transaction, installation));
      const objects = await listReadObjects(queries, project.id, installationId);
      const object =
        objects.find((one) => one.objectName === objectName) ??
        objects.find((one) => one.messageName === objectName);
      const row =
        object &&
        (await findBackfill(queries, {
          projectId: project.id,
          installationId,
          objectName: object.objectName,
        }));
      if (row) return toProgress(row, objectName);
      const why = object ? "has no backfill" : "is not read by this installation";
      throw new Problem("not-found", { detail: `There is no progress: \`${objectName}\` ${why}.` });
    },
  });

function toProgress(row: OperationRow, objectName: string): Static<typeof BackfillProgressSchema> {
  const { progress } = toOperation(row).metadata;
  return {
    installationId: row.installationId,
    objectName,
    operationId: row.id,
    recordsProcessed: progress?.recordsProcessed ?? 0,
    ...(progress?.recordsEstimatedTotal !== undefined && {
      recordsEstimatedTotal: progress.recordsEstimatedTotal,
    }),
    ...times(row),
  };
}
