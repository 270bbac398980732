/** Turns checked data into the stored form of a manifest: known members only, defaults that clients rely on. */
import { Type, type TSchema } from "typebox";
import { Check } from "typebox/value";
import { isJsonObject, type Json } from "../ground/json.ts";
import { ManifestSchema, type Manifest, type ManifestIntegration } from "./manifest.ts";

/**
 * Returns the manifest as revisions store it, or undefined if the data is not a manifest. Read objects always carry
 * `destination` and `schedule` (empty if the file has none) and both lists of fields: a published client cannot decode
 * them otherwise.
 */
export function normalizeManifest(data: Json): Manifest | undefined {
  const known = onlyKnown(ManifestSchema, data);
  if (!Check(ManifestSchema, known)) return undefined;
  return { specVersion: known.specVersion, integrations: known.integrations.map(normalizeIntegration) };
}

function normalizeIntegration(integration: ManifestIntegration): ManifestIntegration {
  const { read } = integration;
  if (!read) return integration;
  const objects = (read.objects ?? []).map((object) => ({
    ...object,
    destination: object.destination ?? "",
    schedule: object.schedule ?? "",
    requiredFields: object.requiredFields ?? [],
    optionalFields: object.optionalFields ?? [],
  }));
  return { ...integration, read: { ...read, objects } };
}

/** Drops members that the schema does not name and members that are null. */
function onlyKnown(schema: TSchema, value: Json): Json {
  if (Type.IsArray(schema) && Array.isArray(value)) return value.map((item) => onlyKnown(schema.items, item));
  if (!Type.IsObject(schema) || !isJsonObject(value)) return value;
  const members = Object.entries(schema.properties).flatMap(([key, member]): [string, Json][] => {
    const found = Object.hasOwn(value, key) ? value[key] : undefined;
    return found === undefined || found === null ? [] : [[key, onlyKnown(member, found)]];
  });
  return Object.fromEntries(members);
}
