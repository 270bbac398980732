/** Gathers the settings of a written object from manifest and installation. */
import type { Catalog } from "../../connector-kit/catalog.ts";
import { suggestName } from "../../ground/closest.ts";
import { Problem } from "../../ground/errors.ts";
import type { Json } from "../../ground/json.ts";
import type { ConfigWriteObject } from "../../manifest/installation-config.ts";
import {
  findConfigObject,
  listFieldMappings,
  findDeclaredReadObject,
  findDeclaredWriteObject,
  inheritsMapping,
  isSelectedForWriting,
} from "../../manifest/object-fields.ts";
import type { Installed } from "../operations/installation-cache.ts";
import type { FieldMapping } from "./map-record.ts";

export interface FieldSettings {
  writeOnCreate?: "always" | "never";
  writeOnUpdate?: "always" | "never" | "ifEmpty";
  /** Value of a field that is missing in the request. */
  default?: Json;
  /** False: the default applies to creates only. */
  defaultOnUpdate?: boolean;
}

export interface ObjectSettings {
  /** The provider's name for the object. */
  objectName: string;
  /** The builder's name for it, where it has one and mappings are inherited. */
  mappedName?: string;
  providerName: string;
  /** Undefined where mappings are not inherited. */
  mapping?: FieldMapping;
  /** Keyed by mapped name or provider field. */
  fields: Record<string, FieldSettings>;
  deletionEnabled: boolean;
  /** Only mapped fields are sent. */
  dropUnmapped: boolean;
}

/** Throws a 400 Problem when the object cannot be written in this installation. */
export function requireObjectSettings(
  installed: Installed,
  objectName: string,
  catalog: Catalog,
): ObjectSettings {
  const { integration, installation, dropUnmapped } = installed;
  const config = installation.config.content;
  const manifest = integration.latestRevision.content;
  const object = findDeclaredWriteObject(manifest, objectName, config);
  if (!object) throw refuseUnknownObject(installed, objectName);
  if (!isSelectedForWriting(config, object.objectName)) throw refuseNotSelected(objectName);
  const own = findConfigObject(config.write?.objects, object.objectName);
  const inherits = inheritsMapping(object, config);
  return {
    objectName: object.objectName,
    mappedName: inherits ? findDeclaredReadObject(manifest, object.objectName)?.mapToName : undefined,
    providerName: catalog.find(integration.provider)?.displayName ?? integration.provider,
    mapping: inherits ? listFieldMappings(manifest, config, object.objectName) : undefined,
    fields: buildFieldSettings(own),
    deletionEnabled: own?.deletionSettings?.enabled === true,
    dropUnmapped,
  };
}

function buildFieldSettings(own: ConfigWriteObject | undefined): Record<string, FieldSettings> {
  const settings: Record<string, FieldSettings> = {};
  // The older form of defaults. `applyOnUpdate: never` means: on create only.
  for (const [field, { value, applyOnUpdate }] of Object.entries(own?.selectedValueDefaults ?? {})) {
    settings[field] = { default: value, defaultOnUpdate: applyOnUpdate !== "never" };
  }
  for (const [field, setting] of Object.entries(own?.selectedFieldSettings ?? {})) {
    const { stringValue, integerValue, booleanValue } = setting.default ?? {};
    const value = stringValue ?? integerValue ?? booleanValue;
    settings[field] = {
      ...(value !== undefined && { default: value }),
      writeOnCreate: setting.writeOnCreate,
      writeOnUpdate: setting.writeOnUpdate,
    };
  }
  return settings;
}

function refuseUnknownObject({ integration, installation }: Installed, objectName: string): Problem {
  const manifest = integration.latestRevision.content;
  const names = (manifest.write?.objects ?? []).map((object) => {
    const mapped = findDeclaredReadObject(manifest, object.objectName)?.mapToName;
    return (inheritsMapping(object, installation.config.content) && mapped) || object.objectName;
  });
  const has = names.length > 0 ? `It has: ${names.join(", ")}.` : "It has no write objects.";
  return new Problem("invalid-request", {
    detail: `The integration \`${integration.name}\` has no write object \`${objectName}\`. ${suggestName(objectName, names, has)}`,
    issues: [
      { in: "path", name: "objectName", detail: "is not a write object of the manifest", value: objectName },
    ],
  });
}

const refuseNotSelected = (objectName: string): Problem =>
  new Problem("invalid-request", {
    detail: `Writing \`${objectName}\` is not enabled in this installation: add it to \`config.content.write.objects\`.`,
  });
