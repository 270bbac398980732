/** Compares two revisions of an integration and returns the changes, with places named as in the manifest. */
import { isJsonObject, type Json, type JsonObject } from "../ground/json.ts";

export interface ManifestChange {
  kind: "added" | "removed" | "changed";
  /** `read.objects.contacts.schedule` */
  path: string;
  before?: Json;
  after?: Json;
}

/** Compares lists of objects and fields by name, so that a different order is not a change. */
export function compareManifests(
  before: Json | undefined,
  after: Json | undefined,
  path = "",
): ManifestChange[] {
  if (isBlank(before) && isBlank(after)) return [];
  if (isBlank(before)) return [{ kind: "added", path, ...toLeaf("after", after) }];
  if (isBlank(after)) return [{ kind: "removed", path, ...toLeaf("before", before) }];
  const [was, is] = [mapByName(before), mapByName(after)];
  if (was && is) {
    const members = [...new Set([...Object.keys(was), ...Object.keys(is)])];
    return members.flatMap((member) =>
      compareManifests(was[member], is[member], path === "" ? member : `${path}.${member}`),
    );
  }
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  return [{ kind: "changed", path, ...toLeaf("before", before), ...toLeaf("after", after) }];
}

/** In a manifest, missing and empty mean the same. */
const isBlank = (value: Json | undefined): boolean =>
  value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);

const toLeaf = (member: "before" | "after", value: Json | undefined): Partial<ManifestChange> =>
  value === undefined || typeof value === "object" ? {} : { [member]: value };

/** Returns an object unchanged, a list of objects as an object by their names, undefined for anything else. */
function mapByName(value: Json | undefined): JsonObject | undefined {
  if (isJsonObject(value)) return value;
  if (!Array.isArray(value) || !value.every(isJsonObject)) return undefined;
  const entries = value.map((item): [string | undefined, Json] => [readName(item), item]);
  if (entries.some(([name]) => name === undefined)) return undefined;
  return Object.fromEntries(entries.map(([name = "", item]) => [name, item]));
}

function readName(item: JsonObject): string | undefined {
  const name = item["objectName"] ?? item["fieldName"] ?? item["mapToName"];
  return typeof name === "string" ? name : undefined;
}
