/** What a customer chooses for an integration: objects, fields and mappings, and the configuration that follows. */
import type { ConfigContent, HydratedRevision, ManifestIntegration } from "@busbar/client";

/** The choices, by the provider's names. */
export interface MappingDraft {
  read: Record<string, ReadChoice>;
  /** Whether the application may write an object, by its name. */
  write: Record<string, boolean>;
}

export interface ReadChoice {
  isChosen: boolean;
  /** Optional fields, by name. */
  fields: Record<string, boolean>;
  /** The builder's name to the customer's field; empty while none is chosen. */
  mappings: Record<string, string>;
}

type Hydrated = HydratedRevision["content"];
type HydratedObject = NonNullable<NonNullable<Hydrated["read"]>["objects"]>[number];

/** Fields that the customer maps: those for which the manifest names no field of the provider. */
export const listMappings = ({ requiredFields = [], optionalFields = [] }: HydratedObject) => [
  ...requiredFields.flatMap((field) => (field.fieldName ? [] : [{ ...field, isRequired: true }])),
  ...optionalFields.flatMap((field) => (field.fieldName ? [] : [{ ...field, isRequired: false }])),
];

/** Returns the choices of the stored configuration, or those to begin with: everything, and the manifest's preselected fields. */
export function readDraft(hydrated: Hydrated, stored: ConfigContent | undefined): MappingDraft {
  const read = (hydrated.read?.objects ?? []).map((object): [string, ReadChoice] => {
    const before = stored?.read?.objects[object.objectName];
    const mappings = listMappings(object).map(({ mapToName = "", default: preselected = "" }) => [
      mapToName,
      before?.selectedFieldMappings[mapToName] ??
        (preselected in object.allFieldsMetadata ? preselected : ""),
    ]);
    return [
      object.objectName,
      {
        isChosen: stored ? before !== undefined && before.disabled !== true : true,
        fields: { ...before?.selectedFields },
        mappings: Object.fromEntries(mappings),
      },
    ];
  });
  // Without a list, Busbar enables every object that the manifest writes.
  const written = stored?.write?.objects;
  const write = (hydrated.write?.objects ?? []).map(({ objectName }) => [
    objectName,
    written === undefined || objectName in written,
  ]);
  return { read: Object.fromEntries(read), write: Object.fromEntries(write) };
}

/** Returns the labels of required mappings for which no field is chosen. */
export const listMissing = (hydrated: Hydrated, draft: MappingDraft): string[] =>
  (hydrated.read?.objects ?? []).flatMap((object) => {
    const choice = draft.read[object.objectName];
    if (!choice?.isChosen) return [];
    return listMappings(object)
      .filter(({ isRequired, mapToName = "" }) => isRequired && !choice.mappings[mapToName])
      .map(({ mapToDisplayName, mapToName = "" }) => mapToDisplayName ?? mapToName);
  });

/** Returns the configuration to store. An object that is chosen no more is kept, disabled, so that its choices come back with it. */
export function buildContent(
  manifest: ManifestIntegration,
  draft: MappingDraft,
  stored: ConfigContent | undefined,
): ConfigContent {
  const read = Object.entries(draft.read).flatMap(([objectName, choice]) => {
    const before = stored?.read?.objects[objectName];
    if (!choice.isChosen && !before) return [];
    const selectedFieldMappings = Object.fromEntries(
      Object.entries(choice.mappings).filter(([, field]) => field !== ""),
    );
    const disabled = !choice.isChosen;
    const change = { objectName, selectedFields: choice.fields, selectedFieldMappings };
    return [[objectName, { ...before, ...change, ...((before || disabled) && { disabled }) }]];
  });
  const write = Object.entries(draft.write)
    .filter(([, isChosen]) => isChosen)
    .map(([objectName]) => [objectName, { objectName, ...stored?.write?.objects?.[objectName] }]);
  const subscribed = listSubscribed(manifest, draft, stored);
  return {
    ...stored,
    provider: manifest.provider,
    ...(manifest.read && { read: { ...stored?.read, objects: Object.fromEntries(read) } }),
    ...(manifest.write && { write: { ...stored?.write, objects: Object.fromEntries(write) } }),
    ...(manifest.subscribe && { subscribe: { ...stored?.subscribe, objects: subscribed } }),
    ...(manifest.proxy?.enabled && { proxy: { enabled: true, ...stored?.proxy } }),
  };
}

/** Returns the objects whose changes are subscribed to: as the manifest says, with those that are read. */
function listSubscribed(
  manifest: ManifestIntegration,
  draft: MappingDraft,
  stored: ConfigContent | undefined,
): NonNullable<ConfigContent["subscribe"]>["objects"] {
  const chosen = (manifest.subscribe?.objects ?? []).filter(
    ({ objectName }) => draft.read[objectName]?.isChosen ?? true,
  );
  return Object.fromEntries(
    chosen.map(({ objectName, destination = "", inheritFieldsAndMapping = false, ...declared }) => {
      const { createEvent, updateEvent, deleteEvent, otherEvents } = declared;
      const { enabled, requiredWatchFields, watchFieldsAuto } = updateEvent ?? {};
      const update = {
        enabled: "always" as const,
        ...(requiredWatchFields && { requiredWatchFields }),
        ...(watchFieldsAuto === "all" && { watchFieldsAuto }),
      };
      const events = {
        ...(createEvent?.enabled && { createEvent: { enabled: "always" as const } }),
        ...(enabled && { updateEvent: update }),
        ...(deleteEvent?.enabled && { deleteEvent: { enabled: "always" as const } }),
        ...(otherEvents && { otherEvents }),
      };
      const object = {
        objectName,
        destination,
        inheritFieldsAndMappings: inheritFieldsAndMapping,
        ...events,
      };
      return [objectName, { ...object, ...stored?.subscribe?.objects[objectName] }];
    }),
  );
}
