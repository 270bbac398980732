/** What a journal must report for the subscriptions of an object, which share it. Pure. */
import type { JournalFilter } from "../../store/subscriptions/subscriptions.ts";
import { wantsEvents, type SubscribeDefinition } from "./subscribe-definition.ts";
import { resolveWatchedFields, type WatchNames } from "./watched-fields.ts";

/** Undefined if every event of the object is off. `clientId`: another client subscribes anew. */
export function buildJournalFilter(
  definition: SubscribeDefinition,
  { clientId, watchNames }: { clientId: string; watchNames: WatchNames },
): JournalFilter | undefined {
  if (!wantsEvents(definition)) return undefined;
  const { events } = definition;
  const fields = resolveWatchedFields(definition, watchNames).names ?? "all";
  return {
    clientId,
    create: events.create,
    delete: events.delete,
    associationChange: events.associationChange,
    other: events.other,
    fields: events.update ? fields : [],
  };
}

/** Returns what all of the filters ask for. */
export function mergeFilters(filters: readonly JournalFilter[]): Omit<JournalFilter, "clientId"> {
  const fields = filters.map((filter) => filter.fields);
  return {
    create: filters.some((filter) => filter.create),
    delete: filters.some((filter) => filter.delete),
    associationChange: filters.some((filter) => filter.associationChange),
    other: [...new Set(filters.flatMap((filter) => filter.other))],
    fields: fields.includes("all") ? "all" : [...new Set(fields.flat())].toSorted(),
  };
}
