/** Resolves which objects of an installation are watched, and for which changes. Pure. */
import type { ConfigContent } from "../../manifest/installation-config.ts";
import type { ManifestIntegration } from "../../manifest/manifest.ts";
import { findConfigObject } from "../../manifest/object-fields.ts";

export interface WatchedObject {
  /** The provider's name. */
  objectName: string;
  /** The name in messages: the builder's, else the provider's. */
  messageName: string;
}

/** Changes that a message reports. */
export interface WatchedChanges {
  created: boolean;
  deleted: boolean;
  changed: boolean;
}

/**
 * Returns the objects that the installation reads: those of its configuration, and those enabled for every customer.
 * `running` has the names in messages of objects that it reads already, which the manifest may have no more.
 */
export function listWatchedObjects(
  manifest: ManifestIntegration,
  config: ConfigContent,
  running: ReadonlyMap<string, string>,
): WatchedObject[] {
  const declared = manifest.read?.objects ?? [];
  const names = new Set(declared.map(({ objectName }) => objectName));
  // A deployment that is not destructive leaves an object running that the manifest has no more.
  const kept = [...running].flatMap(([objectName, messageName]) =>
    names.has(objectName) ? [] : [{ objectName, messageName }],
  );
  const enabled = declared.flatMap(({ objectName, mapToName, enabled: isEnabled }) => {
    const configured = findConfigObject(config.read?.objects, objectName);
    const isRead = isEnabled === "always" || (configured !== undefined && configured.disabled !== true);
    return isRead ? [{ objectName, messageName: mapToName || objectName }] : [];
  });
  return [...enabled, ...kept];
}

export function readWatchedChanges({ watchSchema }: ManifestIntegration): WatchedChanges {
  const { fieldCreated, fieldDeleted, fieldChanged } = watchSchema?.allObjects ?? {};
  return {
    created: fieldCreated?.enabled === "always",
    deleted: fieldDeleted?.enabled === "always",
    changed: fieldChanged?.enabled === "always",
  };
}
