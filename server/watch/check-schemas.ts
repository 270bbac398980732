/** Checks the objects that one installation reads, compares their fields with the last check, and reports changes. */
import type { FieldsConnector, ObjectMetadata } from "../../connector-kit/fields.ts";
import { isRetryable, ProviderError } from "../../connector-kit/calls/provider-error.ts";
import { nowMs, elapsedMs } from "../../ground/clock.ts";
import { newId } from "../../ground/ids.ts";
import { callProvider } from "../operations/call-provider.ts";
import type { ProxyUse } from "../store/operations/proxy-usage.ts";
import { storeUsage } from "../store/shards/store-usage.ts";
import {
  buildBaselineAccount,
  listSchemaBaselines,
  removeOtherBaselines,
  saveSchemaBaseline,
  type SchemaBaseline,
} from "../store/integrations/schema-baselines.ts";
import {
  endSchemaCheck,
  postponeSchemaCheck,
  saveSchemaRefusal,
  type SchemaCheck,
} from "../store/integrations/schema-checks.ts";
import { compareFields, readKnownFields, toKnownFields, type FieldChanges } from "./compare-fields.ts";
import {
  findSchemaCheckTarget,
  type SchemaCheckServices,
  type SchemaCheckTarget,
} from "./find-check-target.ts";
import type { WatchedObject } from "./watched-objects.ts";
import { buildMessageHead } from "../events/message-head.ts";
import type { SchemaMessage } from "../events/schema-message-schema.ts";
import type { ProviderFetch } from "../../connector-kit/calls/provider-fetch.ts";

/** Attempts at a check while the provider is not available. After the last one, the next tick begins a new check. */
const MAX_ATTEMPTS = 5;
const RETRY_MINUTES = 5;

/** Carries out a claimed check. Never rejects: a failure changes no baseline and is logged. */
export async function checkSchemas(deps: SchemaCheckServices, check: SchemaCheck): Promise<void> {
  const { data } = deps.database;
  try {
    const target = await findSchemaCheckTarget(deps, check);
    const retryMs = target && (await checkAll(deps, target));
    if (retryMs !== undefined && check.attempts < MAX_ATTEMPTS)
      await postponeSchemaCheck(data, check, retryMs);
    else await endSchemaCheck(data, check);
  } catch (error) {
    // The check is due again when its lease ends.
    deps.log.warn(
      { installationId: check.installationId, error: String(error) },
      "a check of a schema failed on our side",
    );
  }
}

/** Returns the milliseconds after which to check again, if the provider cannot be asked now. */
async function checkAll(deps: SchemaCheckServices, target: SchemaCheckTarget): Promise<number | undefined> {
  const { data } = deps.database;
  const { installationId, objects } = target;
  await removeOtherBaselines(
    data,
    installationId,
    objects.map(({ objectName }) => objectName),
  );
  const baselines = await listSchemaBaselines(data, installationId);
  for (const object of objects) {
    const { objectName } = object;
    try {
      const metadata = await describe(deps, target, object);
      await saveSchemaRefusal(data, { installationId, objectName, detail: null });
      await report(deps, target, { object, metadata, baseline: baselines.get(object.objectName) });
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      const reason = { installationId, objectName, reason: error.message };
      deps.log.info(reason, "the fields of an object cannot be read; its schema is compared next time");
      if (isRetryable(error.kind)) return retryAfterMs(error, deps.minuteMs);
      // Nothing else will work either.
      if (error.kind === "unauthorized" || error.kind === "locked_out") return undefined;
      await saveSchemaRefusal(data, { installationId, objectName, detail: error.message });
    }
  }
  return undefined;
}

function retryAfterMs({ retryAt }: ProviderError, minuteMs: number): number {
  return Math.max(RETRY_MINUTES * minuteMs, retryAt ? retryAt.getTime() - nowMs() : 0);
}

/** Reads the fields of an object. Every request is a line of the usage log. */
async function describe(
  deps: SchemaCheckServices,
  { projectId, installationId, connectionId, connector }: SchemaCheckTarget & { connector: FieldsConnector },
  { objectName }: WatchedObject,
): Promise<ObjectMetadata> {
  const uses: ProxyUse[] = [];
  try {
    const metadata = await callProvider(deps, { projectId, connectionId }, ({ connection, fetch }) =>
      connector.describe(
        objectName,
        recordUsage(fetch, { projectId, installationId }, uses),
        connection.account,
      ),
    );
    if (Object.keys(metadata.fields).length > 0) return metadata;
    // An object without any field is a fault of the answer: it must not be reported as many deletions.
    throw new ProviderError({ kind: "unreadable", message: "The provider's answer has no fields" });
  } finally {
    if (uses.length > 0) await storeUsage(deps.database, uses);
  }
}

/** Saves the fields if they differ from the baseline, with the message about it in the same commit. */
async function report(
  deps: SchemaCheckServices,
  target: SchemaCheckTarget,
  check: { object: WatchedObject; metadata: ObjectMetadata; baseline: SchemaBaseline | undefined },
): Promise<void> {
  const { object, metadata, baseline } = check;
  const { installationId, projectId, connectionId, account, destinationId } = target;
  const fields = toKnownFields(metadata);
  // The first check, and the first at another account, only remembers. An account that had no name yet is the same one, and its
  // name is stored, so that the next one is another.
  const isNamed = baseline?.account === account;
  const isSame = isNamed || baseline?.account === buildBaselineAccount(connectionId, null);
  const known = baseline && isSame ? readKnownFields(baseline.fields) : undefined;
  const changes = known && compareFields(known, metadata.fields);
  if (isNamed && changes && !changes.any) return;
  const data = changes?.any ? buildSchemaMessage(target, object, changes) : undefined;
  await saveSchemaBaseline(deps.database.data, {
    installationId,
    objectName: object.objectName,
    account,
    fields,
    comparedVersion: baseline?.version,
    message: data && {
      id: newId(),
      projectId,
      type: "schema.watch",
      data: JSON.stringify(data),
      destinationId,
    },
  });
}

/** Returns the message with the changes that are watched; undefined if there are none. */
function buildSchemaMessage(
  target: SchemaCheckTarget,
  { objectName, messageName }: WatchedObject,
  changes: FieldChanges,
): SchemaMessage | undefined {
  const { watched, fields, installationUpdateTime, workspace } = target;
  const created = watched.created ? changes.created : [];
  const deleted = watched.deleted ? changes.deleted : [];
  const changed = watched.changed ? changes.changed : [];
  const count = created.length + deleted.length + changed.length;
  if (count === 0) return undefined;
  return {
    action: "schema.watch",
    ...buildMessageHead({ ...fields, installationUpdateTime, messageName, objectName, workspace }),
    resultInfo: { type: "inline", numRecords: count },
    result: {
      ...(created.length > 0 && { createdFields: created }),
      ...(deleted.length > 0 && { deletedFields: deleted }),
      ...(changed.length > 0 && { changedFields: changed }),
    },
  };
}

/** In place of a status when no answer came. */
const NO_ANSWER = 502;

/** Returns a fetch that adds a line to `uses` for each request. */
const recordUsage =
  (
    fetch: ProviderFetch,
    owner: { projectId: string; installationId: string },
    uses: ProxyUse[],
  ): ProviderFetch =>
  async (request) => {
    const timeMs = nowMs();
    const started = elapsedMs();
    const [path = ""] = request.path.split("?");
    const add = (status: number, bytesDown: number): void => {
      const durationMs = Math.round(elapsedMs() - started);
      uses.push({
        ...owner,
        timeMs,
        method: request.method,
        path,
        status,
        durationMs,
        bytesUp: 0,
        bytesDown,
      });
    };
    try {
      const answer = await fetch(request);
      add(answer.status, Buffer.byteLength(answer.text));
      return answer;
    } catch (error) {
      add(NO_ANSWER, 0);
      throw error;
    }
  };
