/** The key of an upsert: the value that names a record by a field of the provider instead of an id. */
import type { RecordToWrite, RecordWrite } from "../connector.ts";
import { ProviderError } from "./provider-error.ts";

type Keyed = Pick<RecordWrite, "key">;
type Fields = Pick<RecordToWrite, "fields">;

/** Returns the value of the key as text; undefined where the record has none. Field names count in any case. */
export function readUpsertKey({ key }: Keyed, { fields }: Fields): string | undefined {
  const [, value] = Object.entries(fields).find(([name]) => isKey(key, name)) ?? [];
  const isGiven = typeof value === "string" || (typeof value === "number" && Number.isFinite(value));
  return isGiven && String(value).trim() !== "" ? String(value) : undefined;
}

/** Returns the fields without the key, for providers that take its value elsewhere in the request. */
export const withoutUpsertKey = ({ key }: Keyed, { fields }: Fields): RecordToWrite["fields"] =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !isKey(key, name)));

/** Returns why a record cannot be upserted; undefined if it can. */
export function findUpsertKeyFault(write: Keyed, record: Fields): ProviderError | undefined {
  const value = readUpsertKey(write, record);
  if (value !== undefined && value.length <= LONGEST && !/^\.\.?$/.test(value)) return undefined;
  const what = value === undefined ? "has no value" : "has a value that cannot be sent";
  return new ProviderError({
    kind: "invalid",
    message: `the key of the upsert, ${write.key ?? ""}, ${what}`,
  });
}

/** Returns the same text for every spelling of one key: providers compare addresses and texts in any case. */
export const upsertRecordKey = (write: Keyed, record: Fields): string =>
  `${(write.key ?? "").toLowerCase()}=${(readUpsertKey(write, record) ?? "").trim().toLowerCase()}`;

const LONGEST = 1_000;

const isKey = (key: string | undefined, name: string): boolean => name.toLowerCase() === key?.toLowerCase();
