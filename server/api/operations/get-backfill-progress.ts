/** GET …/installations/{installationId}/objects/{objectName}/backfill-progress */
import { Type, type Static } from "typebox";
import { Problem } from "../../../ground/errors.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import { syncNow, type SyncNowServices } from "../../read/schedule/sync-read-objects.ts";
import { transactData } from "../../store/database/database.ts";
import type { OperationRow } from "../../store/operations/operations.ts";
import { findBackfill, listReadObjects } from "../../store/reads/read-objects.ts";
import { getInstallationRow } from "../installations/installation.ts";
import { getIntegrationRow } from "../integration.ts";
import {
  InstallationId,
  IntegrationIdOrName,
  ObjectName,
  CreateTime,
  toTimes,
  UpdateTime,
} from "../members.ts";
import { PaceMembers, toOperation } from "./operation.ts";
import { describeTime } from "../../../ground/described.ts";

const BackfillProgressSchema = Type.Object(
  {
    installationId: InstallationId,
    objectName: Type.String({ description: "Name of the object, as it was asked for." }),
    operationId: Type.String({ description: "Id of the read operation." }),
    recordsProcessed: Type.Integer({ description: "Records read so far." }),
    recordsEstimatedTotal: Type.Optional(
      Type.Integer({ description: "Total number of records, if the provider reports it." }),
    ),
    ...PaceMembers,
    waitingFor: Type.Optional(
      Type.Object(
        {
          kind: Type.Enum(["destination", "provider", "rate_limit", "connection"], {
            description:
              "`destination`: it is behind, disabled or missing. `provider`: it fails. `rate_limit`: of the provider, or free daily calls of the " +
              "account. `connection`: its credentials are refused.",
          }),
          name: Type.String({ description: "Of the destination or provider." }),
          since: describeTime("Since when."),
        },
        { description: "What the backfill waits for now. Absent while it reads, and after its end." },
      ),
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
      const { control, data } = deps.database;
      const { integrationId, installationId, objectName } = params;
      const integration = await getIntegrationRow(control, project.id, integrationId);
      const installation = await getInstallationRow(data, project.id, integration.id, installationId);
      // A caller that has just installed finds its backfill.
      await transactData(deps.database, (transaction) => syncNow(deps, transaction, installation));
      const objects = await listReadObjects(data, project.id, installationId);
      const object =
        objects.find((one) => one.objectName === objectName) ??
        objects.find((one) => one.messageName === objectName);
      const row =
        object &&
        (await findBackfill(data, {
          projectId: project.id,
          installationId,
          objectName: object.objectName,
        }));
      if (object && row)
        return toProgress(row, {
          objectName,
          destination: object.destination,
          provider: integration.provider,
        });
      const why = object ? "has no backfill" : "is not read by this installation";
      throw new Problem("not-found", { detail: `There is no progress: \`${objectName}\` ${why}.` });
    },
  });

interface BackfilledObject {
  /** Name as requested. */
  objectName: string;
  destination: string;
  provider: string;
}

function toProgress(row: OperationRow, object: BackfilledObject): Static<typeof BackfillProgressSchema> {
  const { progress, read } = toOperation(row).metadata;
  const { objectName } = object;
  return {
    installationId: row.installationId,
    objectName,
    operationId: row.id,
    recordsProcessed: progress?.recordsProcessed ?? 0,
    ...(progress?.recordsEstimatedTotal !== undefined && {
      recordsEstimatedTotal: progress.recordsEstimatedTotal,
    }),
    ...(progress?.recordsPerSecond !== undefined && { recordsPerSecond: progress.recordsPerSecond }),
    ...(progress?.secondsLeft !== undefined && { secondsLeft: progress.secondsLeft }),
    ...describeWaiting(row, object, read),
    ...toTimes(row),
  };
}

type Metadata = ReturnType<typeof toOperation>["metadata"];

/** What each word for waiting is about. */
const KINDS = {
  provider: { kind: "provider", of: "provider" },
  rate_limit: { kind: "rate_limit", of: "provider" },
  calls: { kind: "rate_limit", of: "provider" },
  credentials: { kind: "connection", of: "provider" },
  destination: { kind: "destination", of: "destination" },
} as const;

function describeWaiting(
  { status }: OperationRow,
  object: BackfilledObject,
  { waitsFor, waitingSince }: NonNullable<Metadata["read"]> | { waitsFor?: never; waitingSince?: never } = {},
): Pick<Static<typeof BackfillProgressSchema>, "waitingFor"> {
  if (status !== "in_progress" || waitsFor === undefined || waitingSince === undefined) return {};
  const { kind, of } = KINDS[waitsFor];
  return { waitingFor: { kind, name: object[of], since: waitingSince } };
}
