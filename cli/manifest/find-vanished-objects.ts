/** Finds read objects that a project has and a manifest no longer names. */
import { isObject, listObjectsAt, requireText, getTextAt, type Json, type JsonObject } from "../http/json.ts";

export interface Vanished {
  integration: string;
  integrationId: string;
  objects: string[];
}

/** `before` are integrations as the API lists them. Names of objects are compared without case. */
export function findVanishedObjects(before: JsonObject[], manifest: Json | undefined): Vanished[] {
  if (!isObject(manifest)) return [];
  return listObjectsAt(manifest, "integrations").flatMap((declared) => {
    const old = before.find((one) => getTextAt(one, "name") === getTextAt(declared, "name"));
    if (!old) return [];
    const kept = new Set(listObjectNames(declared, "read.objects").map((name) => name.toLowerCase()));
    const objects = listObjectNames(old, "latestRevision.content.read.objects").filter(
      (name) => !kept.has(name.toLowerCase()),
    );
    if (objects.length === 0) return [];
    return [{ integration: requireText(old, "name"), integrationId: requireText(old, "id"), objects }];
  });
}

const listObjectNames = (value: Json, path: string): string[] =>
  listObjectsAt(value, path).flatMap((object) => getTextAt(object, "objectName") ?? []);
