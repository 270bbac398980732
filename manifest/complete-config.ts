/** Brings an accepted configuration into the form that is stored and returned. */
import { Type, type TSchema } from "typebox";
import { Check } from "typebox/value";
import { Problem } from "../ground/errors.ts";
import { isJsonObject, type Json } from "../ground/json.ts";
import {
  ConfigContentSchema,
  ConfigInputSchema,
  type ConfigContent,
  type ConfigInput,
} from "./installation-config.ts";
import type { ManifestIntegration } from "./manifest.ts";

/**
 * Adds the provider, each object's name, both maps of selected fields to read objects (empty if nothing is selected),
 * and the manifest's destination and inheritance to subscribe objects. Drops null members, keeps unknown ones. Throws
 * `invalid-config` for a content whose shape `checkConfig` refuses.
 */
export function completeConfig(content: unknown, integration: ManifestIntegration): ConfigContent {
  const input = isJsonObject(content) ? withoutNulls(ConfigInputSchema, content) : undefined;
  if (!Check(ConfigInputSchema, input)) {
    throw new Problem("invalid-config", { detail: "The configuration does not have the expected form." });
  }
  const complete = {
    ...input,
    provider: input.provider ?? integration.provider,
    ...(input.read && { read: { ...input.read, ...completeRead(input.read) } }),
    ...(input.write && { write: { ...input.write, ...completeWrite(input.write) } }),
    ...(input.subscribe && {
      subscribe: { ...input.subscribe, ...completeSubscribe(input.subscribe, integration) },
    }),
  };
  if (!Check(ConfigContentSchema, complete)) throw new Error("a completed configuration is incomplete");
  return complete;
}

function completeRead({ objects }: NonNullable<ConfigInput["read"]>) {
  return {
    objects: mapMembers(objects ?? {}, (object, key) => ({
      ...object,
      objectName: object.objectName || key,
      selectedFields: object.selectedFields ?? {},
      selectedFieldMappings: object.selectedFieldMappings ?? {},
    })),
  };
}

function completeWrite({ objects }: NonNullable<ConfigInput["write"]>) {
  if (objects === undefined) return {};
  return {
    objects: mapMembers(objects, (object, key) => ({ ...object, objectName: object.objectName || key })),
  };
}

function completeSubscribe(
  { objects }: NonNullable<ConfigInput["subscribe"]>,
  integration: ManifestIntegration,
) {
  const completed = mapMembers(objects ?? {}, (object, key) => {
    const objectName = object.objectName || key;
    const declared = integration.subscribe?.objects?.find((candidate) => candidate.objectName === objectName);
    return {
      ...object,
      objectName,
      destination: object.destination || (declared?.destination ?? ""),
      inheritFieldsAndMappings: object.inheritFieldsAndMappings ?? declared?.inheritFieldsAndMapping ?? false,
    };
  });
  return { objects: completed };
}

/** Uses `fromEntries`, which is safe for any name, `__proto__` included. */
const mapMembers = <From, To>(members: Record<string, From>, change: (member: From, key: string) => To) =>
  Object.fromEntries(Object.entries(members).map(([key, member]) => [key, change(member, key)]));

/** Drops null members that the schema knows; everything below unknown members is kept. */
function withoutNulls(schema: TSchema, value: Json): Json {
  if (Type.IsArray(schema) && Array.isArray(value))
    return value.map((item) => withoutNulls(schema.items, item));
  if (!isJsonObject(value)) return value;
  const findSchema = (key: string): TSchema | undefined => {
    if (Type.IsRecord(schema)) return Type.RecordValue(schema);
    return Type.IsObject(schema) && Object.hasOwn(schema.properties, key)
      ? schema.properties[key]
      : undefined;
  };
  const members = Object.entries(value).flatMap(([key, member]): [string, Json][] => {
    const known = findSchema(key);
    if (!known) return [[key, member]];
    return (member ?? null) === null ? [] : [[key, withoutNulls(known, member)]];
  });
  return Object.fromEntries(members);
}
