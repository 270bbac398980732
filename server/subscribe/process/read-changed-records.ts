/** Reads changed records again, as the reader reads them, and shapes them like its entries. */
import { findFieldsConnector } from "../../../connector-kit/fields.ts";
import { isRetryable, ProviderError } from "../../../connector-kit/calls/provider-error.ts";
import type { ReadPlan } from "../../../connector-kit/read-connector.ts";
import type { ResultEntry } from "../../events/read-message-schema.ts";
import { now, nowMs } from "../../../ground/clock.ts";
import type { ProviderCall } from "../../operations/call-provider.ts";
import type { MetadataMemory } from "../../operations/metadata-memory.ts";
import type { ReadPaces } from "../../read/records/paced-fetch.ts";
import { writeContent } from "../../read/records/entry-text.ts";
import { recordFingerprint } from "../../read/records/record-fingerprint.ts";
import { planObject, type PlannedObject } from "../../read/run/plan-object.ts";
import { listRequiredFieldNames, type ReadDefinition } from "../../read/definition/read-definition.ts";
import { requireFields } from "../../read/records/vanished-fields.ts";
import { shapeRecords } from "../../read/records/shape-record.ts";
import type { SubscribingConnector } from "../definition/subscription-target.ts";

export interface RecordReader {
  metadata: MetadataMemory;
  paces: ReadPaces;
  connector: SubscribingConnector;
  connection: ProviderCall["connection"];
  fetch: ProviderCall["fetch"];
}

interface ChangedRecords {
  entries: ReadonlyMap<string, ResultEntry>;
  fingerprints: ReadonlyMap<string, Buffer>;
  /** Fields that the account does not have, or refuses, and nobody requires; undefined: no record was read. */
  missingFields: string[] | undefined;
}

/** Returns the records by id; one that does not exist (any more) is absent. Throws `ProviderError`. */
export async function readChangedRecords(
  reader: RecordReader,
  definition: ReadDefinition,
  ids: string[],
): Promise<ChangedRecords> {
  if (ids.length === 0) return { entries: new Map(), fingerprints: new Map(), missingFields: undefined };
  const planned = await planChanged(reader, definition);
  const { answer: records, refused } = await readWithout(reader, planned, (plan, fetch) =>
    reader.connector.read.readByIds(plan, ids, fetch),
  );
  const shaper = shapeRecords(planned.set, reader.connector.read);
  const readTime = now().toISOString();
  const entries = new Map(records.map((record) => [record.id, shaper.shape(record, readTime)]));
  const vanished = await findVanished(reader, definition, shaper.missing());
  const fingerprints = new Map<string, Buffer>();
  for (const { id, changeTime } of records) {
    const entry = entries.get(id);
    if (entry) fingerprints.set(id, recordFingerprint(writeContent(entry), changeTime));
  }
  const { fieldKey } = reader.connector.read;
  const refusedKeys = new Set(refused.map(fieldKey));
  const missingFields = [...refused, ...vanished.filter((name) => !refusedKeys.has(fieldKey(name)))];
  return { entries, fingerprints, missingFields: shaper.isAnyKnown() ? missingFields : undefined };
}

/**
 * How old a description may be by which a required field is missed: a provider may leave fields out of its answers that the object
 * has. For others the description may be as old as any: many records lack a field that nobody requires.
 */
const DESCRIBED_MS = 5_000;

/**
 * Returns the missing fields that the object no longer has: some providers leave those out and refuse nothing. Throws `ProviderError`
 * (`invalid`) if one of them is required.
 */
async function findVanished(
  { metadata, connector, connection, fetch }: RecordReader,
  definition: ReadDefinition,
  missing: string[],
): Promise<string[]> {
  const required = new Set(listRequiredFieldNames(definition));
  const { objectName } = definition;
  const fields = findFieldsConnector(connector, objectName);
  if (!fields || missing.length === 0) return [];
  const describe = () => fields.describe(objectName, fetch, connection.account);
  const isRequired = missing.some((name) => required.has(name));
  const notBefore = isRequired ? new Date(nowMs() - DESCRIBED_MS) : undefined;
  const described = await metadata
    .get(connection, objectName, describe, notBefore)
    .catch((error: unknown) => {
      // An object without a description is delivered as it came.
      if (error instanceof ProviderError && !(isRequired && isRetryable(error.kind))) return undefined;
      throw error;
    });
  return described ? requireFields(missing, described, { definition, connector }) : [];
}

/** Reads records of an object that the installation does not read, with the provider's default fields. */
export async function readForeignRecords(
  { paces, connector, connection, fetch }: RecordReader,
  objectName: string,
  ids: string[],
): Promise<Map<string, Pick<ResultEntry, "raw">>> {
  if (ids.length === 0) return new Map();
  const plan = { objectName, fields: [], associations: [], account: connection.account };
  const paced = paces.paced(connection.id, connector.read, fetch);
  const records = await connector.read.readByIds(plan, ids, paced);
  return new Map(records.map(({ id, raw }) => [id, { raw }]));
}

/** Plans reading an object without associations, which messages about changes do not have. */
export async function planChanged(
  { metadata, connector, connection, fetch }: RecordReader,
  definition: ReadDefinition,
): Promise<PlannedObject> {
  const wanted = { definition: { ...definition, associatedObjects: [] }, connector };
  const call = { connection, connector, fetch };
  return planObject(metadata, { ...wanted, filterCount: 0, filtersFor: () => [] }, call);
}

/** Reads, and leaves out fields that the provider refuses and nobody requires; returns them beside the answer. */
export async function readWithout<Answer>(
  { paces, connector, connection, fetch }: Omit<RecordReader, "metadata">,
  { plan, set }: PlannedObject,
  read: (plan: ReadPlan, fetch: ProviderCall["fetch"]) => Promise<Answer>,
): Promise<{ answer: Answer; refused: string[] }> {
  const paced = paces.paced(connection.id, connector.read, fetch);
  const { fieldKey } = connector.read;
  const required = new Set(set.required.map(fieldKey));
  for (let { fields } = plan; ;) {
    try {
      const answer = await read({ ...plan, fields }, paced);
      return { answer, refused: plan.fields.filter((name) => !fields.includes(name)) };
    } catch (error) {
      const refused = error instanceof ProviderError && error.kind === "invalid" ? error.code : undefined;
      const key = refused === undefined ? undefined : fieldKey(refused);
      const left = fields.filter((name) => fieldKey(name) !== key);
      if (key === undefined || required.has(key) || left.length === fields.length) throw error;
      fields = left;
    }
  }
}
