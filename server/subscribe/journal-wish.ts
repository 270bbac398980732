/** What a journal must report for the subscriptions of an object, which share it. Pure. */
import type { JournalWish } from "../store/subscriptions.ts";
import { wantsEvents, type SubscribeDefinition } from "./subscribe-definition.ts";
import { watchedFields, type WatchNames } from "./watched-fields.ts";

/** Undefined if every event of the object is off. `clientId`: another client subscribes anew. */
export function journalWish(
  definition: SubscribeDefinition,
  { clientId, watchNames }: { clientId: string; watchNames: WatchNames },
): JournalWish | undefined {
  if (!wantsEvents(definition)) return undefined;
  const { events } = definition;
  const fields = watchedFields(definition, watchNames).names ?? "all";
  return {
    clientId,
    create: events.create,
    delete: events.delete,
    associationChange: events.associationChange,
    other: events.other,
    fields: events.update ? fields : [],
  };
}

/** Returns what all of the wishes ask for. */
export function joinWishes(wishes: readonly JournalWish[]): Omit<JournalWish, "clientId"> {
  const fields = wishes.map((wish) => wish.fields);
  return {
    create: wishes.some((wish) => wish.create),
    delete: wishes.some((wish) => wish.delete),
    associationChange: wishes.some((wish) => wish.associationChange),
    other: [...new Set(wishes.flatMap((wish) => wish.other))],
    fields: fields.includes("all") ? "all" : [...new Set(fields.flat())].toSorted(),
  };
}
