/** Renames members of a configuration that clients send under former names. Pure. */
import { isJsonObject, type Json, type JsonObject } from "../ground/json.ts";

/**
 * Returns the configuration with the names under which it is stored. Below `subscribe.objects`, the types of the published UI library
 * have `salesforceQuotaOptimization`, and manifests `inheritFieldsAndMapping`. A member that has its present name already wins.
 */
export function withPresentNames(content: Json): Json {
  if (!isJsonObject(content)) return content;
  const { subscribe } = content;
  if (!isJsonObject(subscribe) || !isJsonObject(subscribe["objects"])) return content;
  const objects = Object.entries(subscribe["objects"]).map(([key, object]): [string, Json] => [
    key,
    isJsonObject(object) ? renameMembers(object) : object,
  ]);
  return { ...content, subscribe: { ...subscribe, objects: Object.fromEntries(objects) } };
}

function renameMembers(object: JsonObject): JsonObject {
  const { salesforceQuotaOptimization, inheritFieldsAndMapping, ...rest } = object;
  const { providerOptions } = rest;
  const present: JsonObject = {};
  if (inheritFieldsAndMapping !== undefined) present["inheritFieldsAndMappings"] = inheritFieldsAndMapping;
  if (
    salesforceQuotaOptimization !== undefined &&
    (providerOptions === undefined || isJsonObject(providerOptions))
  )
    rest["providerOptions"] = { quotaOptimization: salesforceQuotaOptimization, ...providerOptions };
  return { ...present, ...rest };
}
