/** Changes of a configuration that the form makes; members that the form does not know stay as they are. */
import type { Answer } from "../../../api/call.ts";

export type Content = Answer<"getInstallation">["config"]["content"];
export type ReadObject = NonNullable<Content["read"]>["objects"][string];
export type SubscribeObject = NonNullable<Content["subscribe"]>["objects"][string];
export type Filter = NonNullable<ReadObject["fieldFilters"]>[number];
export type Backfill = NonNullable<ReadObject["backfill"]>;
export type Period = Backfill["defaultPeriod"];
export type Action = "read" | "write" | "subscribe";

interface Objects {
  read: ReadObject;
  write: NonNullable<NonNullable<Content["write"]>["objects"]>[string];
  subscribe: SubscribeObject;
}

/** Returns the key of an object in the configuration: its name, unless the configuration calls it otherwise. */
export function getKey(content: Content, action: Action, objectName: string): string {
  const objects: readonly [string, { objectName: string }][] = Object.entries(content[action]?.objects ?? {});
  return objects.find(([key, object]) => (object.objectName || key) === objectName)?.[0] ?? objectName;
}

const readObject = <Of extends Action>(
  content: Content,
  action: Of,
  name: string,
): Objects[Of] | undefined => {
  const objects = content[action]?.objects as Readonly<Record<string, Objects[Of]>> | undefined;
  return objects?.[getKey(content, action, name)];
};

export const isChosen = (content: Content, action: Action, objectName: string): boolean =>
  readObject(content, action, objectName) !== undefined;

/** Adds an object with what the manifest says, or removes it with its settings. */
export function withObject(content: Content, action: Action, objectName: string, isWanted: boolean): Content {
  const key = getKey(content, action, objectName);
  const others = omitMembers<unknown>(content[action]?.objects, key);
  const changed = isWanted ? { ...others, [key]: { objectName } } : others;
  if (Object.keys(changed).length > 0)
    // The server completes a new object by the manifest.
    return { ...content, [action]: { ...content[action], objects: changed } } as Content;
  const { [action]: block, ...rest } = content;
  const { objects: _removed, ...unknown } = block ?? { objects: {} };
  return Object.keys(unknown).length > 0 ? ({ ...rest, [action]: unknown } as Content) : rest;
}

/** Changes an object that the configuration has. */
function withChanged<Of extends Action>(
  content: Content,
  action: Of,
  objectName: string,
  change: (object: Objects[Of]) => Objects[Of],
): Content {
  const object = readObject(content, action, objectName);
  if (!object) return content;
  const changed = { ...content[action]?.objects, [getKey(content, action, objectName)]: change(object) };
  return { ...content, [action]: { ...content[action], objects: changed } };
}

/** Sets a member of an object that the configuration has; undefined removes it, so that the manifest decides. */
export const withMember = <Of extends Action, Name extends keyof Objects[Of] & string>(
  content: Content,
  [action, objectName, name]: readonly [Of, string, Name],
  value: Objects[Of][Name] | undefined,
): Content =>
  withChanged(content, action, objectName, (object) => {
    const others = omitMembers<unknown>({ ...object }, name);
    return (value === undefined ? others : { ...others, [name]: value }) as Objects[Of];
  });

/** Returns the choices about an object that is read; of one that was just added, none, because it has only its name yet. */
export function readChoices(content: Content, objectName: string): ReadObject | undefined {
  const object = readObject(content, "read", objectName);
  return object && { ...NO_CHOICES, ...object };
}

const NO_CHOICES = { selectedFields: {}, selectedFieldMappings: {} };

/** Returns the customer's own settings of a subscription; undefined if the manifest's hold. */
export const subscribeChoices = (content: Content, objectName: string): SubscribeObject | undefined =>
  readObject(content, "subscribe", objectName);

/** Sets a member of a subscription, which gets settings of its own if it has none. */
export const withSubscribeMember = <Name extends keyof SubscribeObject & string>(
  content: Content,
  objectName: string,
  name: Name,
  value: SubscribeObject[Name] | undefined,
): Content => {
  const own = isChosen(content, "subscribe", objectName)
    ? content
    : withObject(content, "subscribe", objectName, true);
  return withMember(own, ["subscribe", objectName, name], value);
};

export const withField = (content: Content, objectName: string, field: string, isWanted: boolean): Content =>
  withChanged(content, "read", objectName, (object) => ({
    ...object,
    selectedFields: isWanted
      ? { ...object.selectedFields, [field]: true }
      : omitMembers(object.selectedFields, field),
  }));

/** `fieldName` undefined removes the mapping. */
export const withMapping = (
  content: Content,
  objectName: string,
  { mapToName, fieldName }: { mapToName: string; fieldName: string | undefined },
): Content =>
  withChanged(content, "read", objectName, (object) => ({
    ...object,
    selectedFieldMappings: fieldName
      ? { ...object.selectedFieldMappings, [mapToName]: fieldName }
      : omitMembers(object.selectedFieldMappings, mapToName),
  }));

/** Allows or forbids that records of the object are deleted. */
export const withDeletion = (content: Content, objectName: string, enabled: boolean): Content =>
  withChanged(content, "write", objectName, (object) => ({
    ...object,
    deletionSettings: { ...object.deletionSettings, enabled },
  }));

/** Returns whether records of the object may be deleted. */
export const mayDelete = (content: Content, objectName: string): boolean =>
  readObject(content, "write", objectName)?.deletionSettings?.enabled === true;

/** Members that the form shows, by action; others can be changed as JSON only. */
const IN_FORM: Readonly<Record<Action, ReadonlySet<string>>> = {
  read: new Set<keyof ReadObject>([
    "objectName",
    "selectedFields",
    "selectedFieldMappings",
    "selectedFieldsAuto",
    "schedule",
    "disabled",
    "destination",
    "backfill",
    "fieldFilters",
    "associatedObjects",
    "deletedRecords",
  ]),
  write: new Set<keyof Objects["write"]>(["objectName", "deletionSettings"]),
  subscribe: new Set<keyof SubscribeObject>([
    "objectName",
    "destination",
    "inheritFieldsAndMappings",
    "createEvent",
    "updateEvent",
    "deleteEvent",
    "otherEvents",
  ]),
};

/** Returns the names of an object's members that the form does not show. */
export const listMembersInJson = (content: Content, action: Action, objectName: string): string[] =>
  Object.keys(readObject(content, action, objectName) ?? {}).filter((name) => !IN_FORM[action].has(name));

export const withProxy = (content: Content, enabled: boolean): Content => ({
  ...content,
  proxy: { ...content.proxy, enabled },
});

const omitMembers = <Value>(
  members: Readonly<Record<string, Value>> | undefined,
  name: string,
): Record<string, Value> => Object.fromEntries(Object.entries(members ?? {}).filter(([one]) => one !== name));
