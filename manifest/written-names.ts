/** Compares the names that an installation can write to under two revisions of its integration. Pure. */
import type { ConfigInput } from "./installation-config.ts";
import type { ManifestIntegration, WriteObject } from "./manifest.ts";
import {
  listFieldMappings,
  findDeclaredReadObject,
  inheritsMapping,
  listWritableObjects,
} from "./object-fields.ts";

/** Returns a sentence for each name of an object or field that a write can use under `before` and not under `after`. */
export function listLostNames(
  before: ManifestIntegration,
  after: ManifestIntegration,
  config: ConfigInput | undefined,
): string[] {
  const names = new Set(
    listWritableObjects(after, config).flatMap((object) => listNames(after, object, config)),
  );
  return listWritableObjects(before, config).flatMap((object) => {
    const lost = listNames(before, object, config).filter((name) => !names.has(name));
    const sentences = lost.map((name) =>
      name === object.objectName
        ? `\`${name}\` can no longer be written`
        : `\`${name}\` is no longer a name of \`${object.objectName}\` for writing`,
    );
    const next = listWritableObjects(after, config).find(
      ({ objectName }) => objectName === object.objectName,
    );
    return next ? [...sentences, ...listLostFields(object, next)] : sentences;
  });

  function listLostFields(object: WriteObject, next: WriteObject): string[] {
    const kept = readMappedNames(after, next, config);
    return [...readMappedNames(before, object, config)].flatMap(([mapped, field]) =>
      kept.has(mapped) || mapped === field
        ? []
        : [`\`${mapped}\` of \`${object.objectName}\` is no longer mapped for writing`],
    );
  }
}

/** Returns whether any configuration could lose a name: spares a check of every installation. */
export const mayLoseNames = (before: ManifestIntegration, after: ManifestIntegration): boolean =>
  listLostNames(inheritNames(before), inheritNames(after), undefined).length > 0 ||
  listLostNames(before, after, undefined).length > 0;

const inheritNames = (integration: ManifestIntegration): ManifestIntegration => ({
  ...integration,
  write: {
    objects: (integration.write?.objects ?? []).map((object) => ({ ...object, inheritMapping: true })),
  },
});

function listNames(
  integration: ManifestIntegration,
  object: WriteObject,
  config: ConfigInput | undefined,
): string[] {
  const mapped =
    inheritsMapping(object, config) && findDeclaredReadObject(integration, object.objectName)?.mapToName;
  return mapped ? [object.objectName, mapped] : [object.objectName];
}

const readMappedNames = (
  integration: ManifestIntegration,
  object: WriteObject,
  config: ConfigInput | undefined,
): Map<string, string | undefined> =>
  inheritsMapping(object, config)
    ? listFieldMappings(integration, config, object.objectName).mappedToProvider
    : new Map();
