/** Changes of a configuration that the form makes; members that the form does not know stay as they are. */
import type { Answer } from "../../api/call.ts";

export type Content = Answer<"getInstallation">["config"]["content"];
export type ReadObject = NonNullable<Content["read"]>["objects"][string];
type Action = "read" | "write" | "subscribe";

export const isChosen = (content: Content, action: Action, objectName: string): boolean =>
  content[action]?.objects?.[objectName] !== undefined;

/** Adds an object with what the manifest says, or removes it with its settings. */
export function withObject(content: Content, action: Action, objectName: string, isWanted: boolean): Content {
  const objects: Readonly<Record<string, unknown>> = content[action]?.objects ?? {};
  const others = Object.fromEntries(Object.entries(objects).filter(([name]) => name !== objectName));
  const changed = isWanted ? { ...others, [objectName]: { objectName } } : others;
  if (Object.keys(changed).length > 0)
    // The server completes a new object by the manifest.
    return { ...content, [action]: { ...content[action], objects: changed } } as Content;
  const { [action]: _removed, ...rest } = content;
  return rest;
}

/** Returns the choices about an object that is read; of one that was just added, none, because it has only its name yet. */
export function readChoices(content: Content, objectName: string): ReadObject | undefined {
  const object = content.read?.objects[objectName];
  return object && { ...NO_CHOICES, ...object };
}

const NO_CHOICES = { selectedFields: {}, selectedFieldMappings: {} };

function withReadObject(
  content: Content,
  objectName: string,
  change: (object: ReadObject) => ReadObject,
): Content {
  const object = content.read?.objects[objectName];
  if (!object) return content;
  return {
    ...content,
    read: { ...content.read, objects: { ...content.read?.objects, [objectName]: change(object) } },
  };
}

export const withField = (content: Content, objectName: string, field: string, isWanted: boolean): Content =>
  withReadObject(content, objectName, (object) => ({
    ...object,
    selectedFields: isWanted
      ? { ...object.selectedFields, [field]: true }
      : without(object.selectedFields, field),
  }));

/** `fieldName` undefined removes the mapping. */
export const withMapping = (
  content: Content,
  objectName: string,
  { mapToName, fieldName }: { mapToName: string; fieldName: string | undefined },
): Content =>
  withReadObject(content, objectName, (object) => ({
    ...object,
    selectedFieldMappings: fieldName
      ? { ...object.selectedFieldMappings, [mapToName]: fieldName }
      : without(object.selectedFieldMappings, mapToName),
  }));

export const withAllFields = (content: Content, objectName: string, isWanted: boolean): Content =>
  withReadObject(content, objectName, ({ selectedFieldsAuto: _before, ...object }) => ({
    ...object,
    ...(isWanted && { selectedFieldsAuto: "all" as const }),
  }));

/** Allows or forbids that records of the object are deleted. */
export function withDeletion(content: Content, objectName: string, enabled: boolean): Content {
  const object = content.write?.objects?.[objectName];
  if (!object) return content;
  const changed = { ...object, deletionSettings: { ...object.deletionSettings, enabled } };
  return {
    ...content,
    write: { ...content.write, objects: { ...content.write?.objects, [objectName]: changed } },
  };
}

export const withProxy = (content: Content, enabled: boolean): Content => ({
  ...content,
  proxy: { ...content.proxy, enabled },
});

const without = <Value>(
  members: Readonly<Record<string, Value>> | undefined,
  name: string,
): Record<string, Value> => Object.fromEntries(Object.entries(members ?? {}).filter(([one]) => one !== name));
