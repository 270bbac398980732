/** GET …/installations/{installationId}/records/{objectName}/{recordId} */
import { Type } from "typebox";
import { didYouMean } from "../../../ground/closest.ts";
import { Problem } from "../../../ground/errors.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { ManifestIntegration } from "../../../manifest/manifest.ts";
import type { Database } from "../../store/database.ts";
import { listWritesOfRecord } from "../../store/traced-records.ts";
import { listSeen } from "../../store/seen-records.ts";
import { listSubscriptionEvents } from "../../store/subscription-events.ts";
import { awaitPushes, LIST_WAIT_MS } from "../../subscribe/await-pushes.ts";
import { getInstallationRow } from "../installations/installation.ts";
import { getIntegrationRow } from "../integration.ts";
import { InstallationId, IntegrationIdOrName } from "../members.ts";
import { RecordTraceSchema, toTrace } from "./record-trace.ts";

/** Of each part of the answer. */
const MOST = 200;

export const getRecordTrace = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "getRecordTrace",
    tag: "Installations",
    summary: "Trace a record",
    description:
      "Where a record of the customer's account was seen, by reading or by subscription; why it was left out, or in which " +
      "message it is; what each receiver answered; and the writes to it. The newest first, 200 of each. It is kept as long as the " +
      "deliveries are.",
    params: Type.Object({
      integrationId: IntegrationIdOrName,
      installationId: InstallationId,
      objectName: Type.String({ description: "The provider's name of the object, or your own." }),
      recordId: Type.String({ description: "The provider's id of the record." }),
    }),
    success: { status: 200, description: "The trace.", schema: RecordTraceSchema },
    async handle({ project, params }) {
      const { queries } = deps.database;
      const { recordId } = params;
      const integration = await getIntegrationRow(queries, project.id, params.integrationId);
      const { id } = await getInstallationRow(queries, project.id, integration.id, params.installationId);
      const objectName = requireObject(integration.latestRevision.content, params.objectName);
      await awaitPushes(deps, project.id, LIST_WAIT_MS);
      const of = { installationId: id, objectName, recordId };
      const [seen, events, writes] = await Promise.all([
        listSeen(queries, of, MOST),
        listSubscriptionEvents(queries, { ...of, projectId: project.id, range: { limit: MOST } }),
        listWritesOfRecord(queries, of, MOST),
      ]);
      if (seen.length + events.rows.length + writes.length === 0) throw unknownRecord(objectName, recordId);
      return toTrace(queries, of, { seen, events: events.rows, writes });
    },
  });

/** Returns the provider's name. Throws a 404 Problem for an object that the manifest does not have. */
function requireObject({ read, write, subscribe }: ManifestIntegration, name: string): string {
  const objects = [...(read?.objects ?? []), ...(write?.objects ?? []), ...(subscribe?.objects ?? [])];
  const names = new Map(
    objects.flatMap((object) => {
      const own = "mapToName" in object ? object.mapToName : undefined;
      return own === undefined ? [] : [[own, object.objectName] as const];
    }),
  );
  for (const { objectName } of objects) names.set(objectName, objectName);
  const found = names.get(name);
  if (found !== undefined) return found;
  const known = [...new Set(names.keys())].map((one) => `\`${one}\``).join(", ");
  const hint = didYouMean(name, names.keys(), `Its objects: ${known || "none"}.`);
  throw new Problem("not-found", { detail: `The integration has no object \`${name}\`. ${hint}` });
}

const unknownRecord = (objectName: string, recordId: string): Problem =>
  new Problem("not-found", {
    detail:
      `Nothing is known of a record \`${recordId}\` of \`${objectName}\`: it was neither read, reported nor written for this ` +
      "installation in the time for which deliveries are kept.",
  });
