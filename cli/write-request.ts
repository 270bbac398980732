/** Builds the body of a write from options: fields, a record, a list of records, or the whole body. */
import { UsageFailure } from "./failures.ts";
import { isObject, type Json, type JsonObject } from "./http/json.ts";
import { readNamedValues } from "./read-named-values.ts";
import { readJsonArgument } from "./read-argument.ts";
import type { Terminal } from "./terminal.ts";

export interface RecordOptions {
  group?: string;
  type: string;
  id?: string;
  upsertKey?: string;
  set?: string[];
  setJson?: string[];
  data?: string;
  request?: string;
  async?: boolean;
  allOrNone?: boolean;
}

/** Throws `UsageFailure` if the options contradict each other. The server checks the record. */
export async function writeRequest(
  options: RecordOptions,
  sources: Pick<Terminal, "stdin" | "cwd">,
): Promise<JsonObject> {
  const { group, type, request, allOrNone } = options;
  const mode: JsonObject = options.async ? { mode: "asynchronous" } : {};
  if (request !== undefined) {
    const body = await readJsonArgument("--request", request, sources);
    if (!isObject(body)) throw new UsageFailure("--request must give a JSON object.");
    return { ...body, ...(group !== undefined && { groupRef: group }), ...mode };
  }
  if (group === undefined) throw new UsageFailure("Give --group with the customer's groupRef.");
  const fields = readFields(options);
  const data =
    options.data === undefined ? undefined : await readJsonArgument("--data", options.data, sources);
  if (type === "upsert" && options.upsertKey === undefined) {
    throw new UsageFailure("An upsert needs the field whose value names the record.", {
      remedy: "Give --upsert-key, for example --upsert-key email.",
    });
  }
  const policy: JsonObject = {
    ...(allOrNone && { batchPolicy: { allOrNone } }),
    ...(options.upsertKey !== undefined && { key: options.upsertKey }),
  };
  if (Array.isArray(data)) {
    if (Object.keys(fields).length > 0)
      throw new UsageFailure("--set and --id are for one record, not for a list.");
    return { groupRef: group, type, batch: data.map(toBatchItem), ...mode, ...policy };
  }
  if (data !== undefined && !isObject(data))
    throw new UsageFailure("--data must give a record or a list of records.");
  const record = { ...data, ...fields };
  if (Object.keys(record).length === 0) {
    throw new UsageFailure("There is nothing to write.", {
      remedy: "Give fields with --set, or records with --data.",
    });
  }
  if (type === "update" && record["id"] === undefined) {
    throw new UsageFailure("An update needs the id of the record at the provider.", { remedy: "Give --id." });
  }
  return { groupRef: group, type, record, ...mode, ...policy };
}

function readFields({ id, set, setJson }: RecordOptions): JsonObject {
  const values = readNamedValues("--set", { texts: set, jsons: setJson });
  return Object.fromEntries(id === undefined ? values : [["id", id], ...values]);
}

/** An item of a list is a record, or an item of the API: record and associations. */
function toBatchItem(item: Json): Json {
  const isItem =
    isObject(item) &&
    isObject(item["record"]) &&
    Object.keys(item).every((name) => name === "record" || name === "associations");
  return isItem ? item : { record: item };
}
