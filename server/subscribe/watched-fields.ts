/** Decides whether an update touches a watched field. Pure. */
import { stepsOf } from "../read/read-set.ts";
import type { SubscribeDefinition } from "./subscribe-definition.ts";

export interface WatchedFields {
  /** The provider's names; undefined: every field. */
  names: string[] | undefined;
  /** Watched mapped names for which the customer has chosen no field. */
  unmapped: string[];
  /** Whether a change of these fields counts. A change of unknown fields does. */
  isTouched(changed: readonly string[] | undefined): boolean;
}

/** Resolves mapped names by the mapping of the moment. */
export function watchedFields(
  { watch, read }: Pick<SubscribeDefinition, "watch" | "read">,
  fieldKey: (name: string) => string,
): WatchedFields {
  if (watch === "all") return everyField();
  const mappings = read?.mappings ?? new Map<string, string>();
  const unmapped: string[] = [];
  if (watch === "selected") {
    const { required = [], selected = [], all = false, excluded = [] } = read?.fields ?? {};
    if (all) return everyFieldBut(excluded, fieldKey);
    return only([...required, ...selected, ...mappings.values()], unmapped, fieldKey);
  }
  const requiredMappings = new Set(read?.requiredMappings);
  const names = watch.flatMap((name) => {
    const field = mappings.get(name);
    if (field === undefined && requiredMappings.has(name)) unmapped.push(name);
    return field ?? (requiredMappings.has(name) ? [] : [name]);
  });
  return only(names, unmapped, fieldKey);
}

const everyField = (): WatchedFields => ({ names: undefined, unmapped: [], isTouched: () => true });

function everyFieldBut(excluded: string[], fieldKey: (name: string) => string): WatchedFields {
  const keys = new Set(excluded.map(fieldKey));
  return {
    names: undefined,
    unmapped: [],
    isTouched: (changed) => !changed || changed.some((name) => !keys.has(fieldKey(name))),
  };
}

function only(names: string[], unmapped: string[], fieldKey: (name: string) => string): WatchedFields {
  // A path in brackets begins with the field that changes.
  const fields = names.map((name) => stepsOf(name)[0] ?? name);
  const byKey = new Map(fields.map((name) => [fieldKey(name), name]));
  return {
    names: [...byKey.values()],
    unmapped,
    isTouched: (changed) => !changed || changed.some((name) => byKey.has(fieldKey(name))),
  };
}
