/** Keeps the other objects writable when the first one gets a configuration of its own. */
import { isJsonObject, type JsonObject } from "../../ground/json.ts";
import type { Integration } from "../integration.ts";

/**
 * Without a write map every object of the manifest may be written; with one, only those it names. So a change that
 * adds the first entry adds the others as well.
 */
export function withWriteMap(content: JsonObject, integration: Integration): JsonObject {
  const write = content["write"];
  const objects = isJsonObject(write) ? write["objects"] : undefined;
  if (isJsonObject(objects) && Object.keys(objects).length > 0) return content;
  const declared = integration.latestRevision.content.write?.objects ?? [];
  const all = Object.fromEntries(declared.map(({ objectName }) => [objectName, { objectName }]));
  return { ...content, write: { ...(isJsonObject(write) ? write : {}), objects: all } };
}
