/** Reads the answer to a query: records, how many there are in all, and where the next page is. */
import type { Json } from "../../ground/json.ts";
import { buildBrokenPage, listOrBroken, requireObject } from "../../connector-kit/calls/page-check.ts";
import { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import type { ReadPlan } from "../../connector-kit/read-connector.ts";
import { buildRefusedField } from "../../connector-kit/calls/build-refused-field.ts";
import { readLocator } from "./query-request.ts";

export interface QueryPage {
  records: Json[];
  total?: number;
  /** Absent: this was the last page. */
  locator?: string;
}

/** Throws `ProviderError` for wrong types. */
export function readQueryPage(body: Json | undefined): QueryPage {
  const { records, totalSize, done, nextRecordsUrl } = requireObject(body, "the answer to a query");
  const listed = listOrBroken(records, "`records`", body);
  if (typeof done !== "boolean")
    throw buildBrokenPage("Salesforce's answer is broken: `done` is not true or false");
  return {
    records: listed,
    ...(typeof totalSize === "number" && { total: totalSize }),
    ...(!done && { locator: readLocator(nextRecordsUrl) }),
  };
}

/**
 * Checks the last page of a query, of which so many records were read in all. Records that are missing were deleted meanwhile, or left out: another
 * query tells. Throws `ProviderError`.
 */
export function requireCounted({ locator, total }: QueryPage, read: number): void {
  if (locator !== undefined || total === undefined || total <= read) return;
  const message = `Salesforce's query counts ${total} records, and gives ${read} of them and no next page`;
  throw new ProviderError({ kind: "unavailable", message, status: 200 });
}

/** Returns the refusal of a query with the name of the requested field that it is about, if it is about one. */
export function queryRefusal(
  error: ProviderError,
  { fields, filters = [] }: Pick<ReadPlan, "fields"> & Partial<ReadPlan>,
): ProviderError {
  if (error.code !== "INVALID_FIELD") return error;
  const [, said = ""] =
    /(?:No such column|No such relation|Didn't understand relationship|field) '([\w.]+)'/i.exec(
      error.message,
    ) ?? [];
  const name = said.toLowerCase();
  const names = [...fields, ...filters.map(({ fieldName }) => fieldName)];
  const field =
    names.find((candidate) => candidate.toLowerCase() === name) ??
    names.find((candidate) => candidate.toLowerCase().split(".").includes(name));
  return field === undefined ? error : buildRefusedField(field, error.message, error);
}
