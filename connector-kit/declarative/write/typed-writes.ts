/** Converts the fields of a write to the form of their types in the account, which a preceding request reads. */
import { isJsonObject, type Json, type JsonObject } from "../../../ground/json.ts";
import type { Connector, RecordWrite } from "../../connector.ts";
import type { ProviderFetch, ProviderRequest } from "../../calls/provider-fetch.ts";
import { ProviderError } from "../../calls/provider-error.ts";
import { concernsEveryRecord } from "../../calls/send-request.ts";
import { buildFieldListRequest, readFieldList } from "../declarative-fields.ts";
import type { ObjectPlan } from "../object-plan.ts";
import { toSentValue } from "./typed-values.ts";

type Classify = NonNullable<Connector["classify"]>;

/** Returns whether the fields of this write need the types of the account. */
export const needsTypes = ({ typedValues }: ObjectPlan, { type }: RecordWrite): boolean =>
  typedValues?.writes !== undefined && type !== "delete";

/**
 * Returns the write with its values as the provider takes them. Fields that the account does not name stay as they are, and are
 * refused by the provider. Returns a `ProviderError` where the object cannot be described; throws as `send`.
 */
export async function toTypedWrite(
  plan: ObjectPlan,
  write: RecordWrite,
  { fetch, classify }: { fetch: ProviderFetch; classify: Classify },
): Promise<RecordWrite | ProviderError> {
  const { typedValues, metadata } = plan;
  if (!typedValues?.writes || !metadata?.list) return write;
  const listed = await readFieldList(plan, metadata.list, classify, fetch).catch(toRefusal);
  if (listed instanceof ProviderError) return listed;
  const types = new Map(listed.map(({ fieldName, providerType }) => [fieldName, providerType]));
  return withValues(write, (value, name) => {
    const type = types.get(name);
    return type === undefined ? value : toSentValue(value, type, typedValues);
  });
}

function toRefusal(error: unknown): ProviderError {
  if (error instanceof ProviderError && !concernsEveryRecord(error.kind)) return error;
  throw error;
}

/** Returns the request for the types, and the write with a placeholder for each of them: a dry run sends no request. */
export const requestTypes = (plan: ObjectPlan, write: RecordWrite): [ProviderRequest[], RecordWrite] =>
  plan.metadata?.list && needsTypes(plan, write)
    ? [
        [buildFieldListRequest(plan, plan.metadata.list)],
        withValues(write, (value) => (isJsonObject(value) ? value : { "{type}": value })),
      ]
    : [[], write];

const withValues = (write: RecordWrite, change: (value: Json, name: string) => Json): RecordWrite => ({
  ...write,
  records: write.records.map((record) => ({ ...record, fields: mapFields(record.fields, change) })),
});

const mapFields = (fields: JsonObject, change: (value: Json, name: string) => Json): JsonObject =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, change(value, name)]));
