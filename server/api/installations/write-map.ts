/** Keeps the other write objects enabled when the first one is configured. */
import { isJsonObject, type JsonObject } from "../../../ground/json.ts";
import type { Integration } from "../integration.ts";

/**
 * Adds an entry for every write object of the manifest to a configuration without one: with entries, only the listed
 * objects can be written.
 */
export function withWriteMap(content: JsonObject, integration: Integration): JsonObject {
  const write = content["write"];
  const objects = isJsonObject(write) ? write["objects"] : undefined;
  if (isJsonObject(objects) && Object.keys(objects).length > 0) return content;
  const declared = integration.latestRevision.content.write?.objects ?? [];
  const all = Object.fromEntries(declared.map(({ objectName }) => [objectName, { objectName }]));
  return { ...content, write: { ...(isJsonObject(write) ? write : {}), objects: all } };
}
