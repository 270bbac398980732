/** Writes records by a description: singly or in batches, and the record read back where the answer has none. */
import type { JsonObject } from "../../../ground/json.ts";
import type { Connector, RecordWrite, WriteConnector, WriteResult } from "../../connector.ts";
import { ProviderError, readBeforeWrite } from "../../calls/provider-error.ts";
import { writeSingly } from "../../calls/write-singly.ts";
import { listBatchRequests, hasBatch, writeInBatches, type Batching } from "./declarative-batch.ts";
import type { Description } from "../rules/description.ts";
import { getOne } from "../get-record.ts";
import {
  findIdFaults,
  findPlan,
  findLargestBatch,
  toObjectPlan,
  buildPlans,
  flattenValues,
  type ObjectPlan,
} from "../object-plan.ts";
import { prepareRequests, findRecordFault, recordRequests } from "./record-request.ts";
import { sendRecord } from "./send-record.ts";
import { needsTypes, requestTypes, toTypedWrite } from "./typed-writes.ts";

type Classify = NonNullable<Connector["classify"]>;

export function createDeclarativeWrite(description: Description, classify: Classify): WriteConnector {
  const { errors } = description;
  const idFault = findIdFaults(description);
  const buildRequest = recordRequests(description, idFault);
  const batching = (plan: ObjectPlan, write: RecordWrite): Batching => ({
    description,
    plan,
    write,
    classify,
    findFault: (record) => findRecordFault(write, record, idFault, plan),
    buildRequest: (record) => buildRequest(write, record),
    writeOne: (record, fetch) => sendRecord({ plan, write, fetch, classify, buildRequest, errors }, record),
  });
  const batchLimit = findLargestBatch(description);
  return {
    abilities: {
      delete: true,
      associations: false,
      headers: false,
      ifEmpty: hasGet(description),
      upsert: upsertKeys(description),
      ...(batchLimit > 0 && { batchLimit }),
    },
    repeatableMs: (write) => computeRepeatableMs(findPlan(description, write.objectName), write),
    prepare(asked) {
      const plan = toObjectPlan(description, asked.objectName, asked.type, asked.account);
      const [before, write] = requestTypes(plan, asked);
      if (hasBatch(plan, write)) return [...before, ...listBatchRequests(batching(plan, write))];
      return [
        ...before,
        ...write.records.flatMap((record) => prepareRequests(plan, write, record, buildRequest)),
      ];
    },
    async write(asked, fetch) {
      const plan = planOrFault(description, asked);
      if (plan instanceof ProviderError) {
        return writeSingly(asked, {
          findFault: (record) => findRecordFault(asked, record, idFault, undefined),
          send: async () => ({ outcome: { success: false, error: plan } }),
        });
      }
      const isSent = asked.records.some((one) => !findRecordFault(asked, one, idFault, plan));
      const write =
        isSent && needsTypes(plan, asked)
          ? await readBeforeWrite(toTypedWrite(plan, asked, { fetch, classify }))
          : asked;
      if (write instanceof ProviderError) return refuseAll(asked, write);
      if (hasBatch(plan, write)) return writeInBatches(batching(plan, write), fetch);
      return writeSingly(write, {
        findFault: (record) => findRecordFault(write, record, idFault, plan),
        send: (record) => sendRecord({ plan, write, fetch, classify, buildRequest, errors }, record),
      });
    },
    async readFields({ objectName, ids, fields, account }, fetch) {
      const found = new Map<string, JsonObject>();
      const plan = findPlan(description, objectName, account);
      for (const id of ids) {
        if (!plan || idFault(id, plan)) continue;
        const record = await getOne({ plan, fetch, classify }, id, fields);
        if (!record) continue;
        const values = flattenValues(record, plan);
        found.set(id, Object.fromEntries(fields.map((name) => [name, values[name] ?? null])));
      }
      return found;
    },
    recordKey: (id) => id,
    isEmpty: (value) =>
      value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0),
  };
}

function computeRepeatableMs(
  plan: ObjectPlan | undefined,
  write: Pick<RecordWrite, "type" | "batch">,
): number | undefined {
  const { idempotencyKeyTo: to, idempotencyKeyMinutes: minutes } = plan?.create ?? {};
  if (!plan || write.type !== "create" || to === undefined || minutes === undefined) return undefined;
  return hasBatch(plan, write) ? undefined : minutes * 60_000;
}

const refuseAll = ({ records }: RecordWrite, error: ProviderError): WriteResult => ({
  outcomes: records.map(() => ({ success: false, error })),
  warnings: [],
  ...(error.rawResponse !== undefined && { rawResponse: error.rawResponse }),
});

const hasGet = (description: Description): boolean =>
  buildPlans(description).some(({ get }) => get !== undefined);

/** Returns the keys of the objects that can be upserted; false if there are none. */
function upsertKeys(description: Description): false | Record<string, string[]> {
  const keys = buildPlans(description).flatMap(({ name, upsert }) =>
    upsert ? [[name, upsert.keys] as const] : [],
  );
  return keys.length > 0 && Object.fromEntries(keys);
}

function planOrFault(
  description: Description,
  { objectName, type, account }: RecordWrite,
): ObjectPlan | ProviderError {
  try {
    return toObjectPlan(description, objectName, type, account);
  } catch (error) {
    if (error instanceof ProviderError) return error;
    throw error;
  }
}
