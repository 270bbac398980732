/** Resolves what an installation subscribes to, from manifest and configuration. Pure. */
import type { ConfigSubscribeObject } from "../../../manifest/installation-config.ts";
import type { OwnWrites, SubscribeObject } from "../../../manifest/manifest.ts";
import { findConfigObject } from "../../../manifest/object-fields.ts";
import {
  findReadDefinition,
  type ReadDefinition,
  type ReadSources,
} from "../../read/definition/read-definition.ts";

/** How one object is subscribed to for one installation. */
export interface SubscribeDefinition {
  /** The provider's name, as manifest or configuration spell it. */
  objectName: string;
  /** Name of the destination; empty if there is none. */
  destination: string;
  events: WantedEvents;
  watch: Watch;
  /** Whether changes of associations come with both records. */
  includeFullRecords: boolean;
  /** Whether changes that only show what Busbar wrote are delivered; undefined: the destination decides. */
  ownWrites?: OwnWrites | undefined;
  /** Definition of fields and mapping; undefined if the manifest does not read the object. */
  read: ReadDefinition | undefined;
  /** Settings that have no effect, for the status. */
  warnings: string[];
}

export interface WantedEvents {
  create: boolean;
  update: boolean;
  delete: boolean;
  associationChange: boolean;
  /** Further events by the provider's names. */
  other: string[];
}

/** Fields whose changes count: every field, of the fields that are read, or of these, under mapped or the provider's names. */
export type Watch = "all" | "selected" | string[];

/**
 * Returns every object of the newest manifest and of the configuration, objects included of which every event is off.
 * A member of the configuration overrides the manifest's.
 */
export function subscribeDefinitions(sources: ReadSources): SubscribeDefinition[] {
  const { revisions, config } = sources;
  const declared = revisions[0]?.subscribe?.objects ?? [];
  const configured = config.subscribe?.objects ?? {};
  const names = new Set([
    ...declared.map(({ objectName }) => objectName),
    ...Object.entries(configured).map(([key, object]) => object.objectName || key),
  ]);
  return [...names].map((objectName) =>
    define(
      objectName,
      declared.find((object) => object.objectName === objectName),
      findConfigObject(configured, objectName),
      findReadDefinition(sources, objectName),
    ),
  );
}

/** Returns whether any event is wanted. */
export const wantsEvents = ({ events }: SubscribeDefinition): boolean =>
  events.create || events.update || events.delete || events.associationChange || events.other.length > 0;

function define(
  objectName: string,
  declared: SubscribeObject | undefined,
  configured: ConfigSubscribeObject | undefined,
  read: ReadDefinition | undefined,
): SubscribeDefinition {
  const isOn = (name: "createEvent" | "updateEvent" | "deleteEvent"): boolean =>
    (configured?.[name]?.enabled ?? declared?.[name]?.enabled) === "always";
  return {
    objectName,
    destination: configured?.destination || (declared?.destination ?? ""),
    events: {
      create: isOn("createEvent"),
      update: isOn("updateEvent"),
      delete: isOn("deleteEvent"),
      // The configuration cannot change this event.
      associationChange: declared?.associationChangeEvent?.enabled === "always",
      other: configured?.otherEvents ?? declared?.otherEvents ?? [],
    },
    watch: toWatch(configured?.updateEvent) ?? toWatch(declared?.updateEvent) ?? "all",
    includeFullRecords: declared?.associationChangeEvent?.includeFullRecords === true,
    ownWrites: configured?.ownWrites ?? declared?.ownWrites,
    read,
    warnings: listWarnings(configured, read),
  };
}

/** Either member replaces both of a lower level. */
function toWatch(
  event: SubscribeObject["updateEvent"] | ConfigSubscribeObject["updateEvent"],
): Watch | undefined {
  if (event?.watchFieldsAuto !== undefined) return event.watchFieldsAuto;
  return event?.requiredWatchFields && event.requiredWatchFields.length > 0
    ? event.requiredWatchFields
    : undefined;
}

function listWarnings(
  configured: ConfigSubscribeObject | undefined,
  read: ReadDefinition | undefined,
): string[] {
  const warnings: string[] = [];
  if (configured?.providerOptions?.quotaOptimization?.enabled) {
    warnings.push(
      "`quotaOptimization` is stored and has no effect: events are filtered after the provider has counted them.",
    );
  }
  if (!read) warnings.push("The manifest does not read the object: messages have no fields.");
  return warnings;
}
