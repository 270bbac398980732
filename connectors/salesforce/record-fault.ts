/** Finds why a record cannot be sent to Salesforce: its id, or the value of its external id. */
import type { RecordToWrite, RecordWrite } from "../../connector-kit/connector.ts";
import { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import { findUpsertKeyFault } from "../../connector-kit/calls/upsert-key.ts";
import { findIdFault } from "./id.ts";

/** Returns undefined for a record that can be sent. */
export function recordFault(write: RecordWrite, record: RecordToWrite): ProviderError | undefined {
  if (write.type === "create") return undefined;
  return write.type === "upsert" ? findUpsertKeyFault(write, record) : findIdFault(record.id);
}

/** Returns why the key of an upsert cannot be the name of a field. */
export const findKeyNameFault = ({ type, key = "" }: RecordWrite): ProviderError | undefined =>
  type !== "upsert" || /^[A-Za-z][A-Za-z0-9_]{0,254}$/.test(key)
    ? undefined
    : new ProviderError({ kind: "invalid", message: `"${key}" is not the name of a Salesforce field` });
