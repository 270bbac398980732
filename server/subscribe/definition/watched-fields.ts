/** Decides whether an update touches a watched field. Pure. */
import type { Connector } from "../../../connector-kit/connector.ts";
import { readFirstStep } from "../../read/definition/read-set.ts";
import type { SubscribeDefinition } from "./subscribe-definition.ts";

export interface WatchedFields {
  /** The provider's names; undefined: every field. */
  names: string[] | undefined;
  /** Watched mapped names for which the customer has chosen no field. */
  unmapped: string[];
  /** Watched names that the provider spells differently, and that match nothing. */
  misspelt: string[];
  /** Returns whether a change of these fields counts. A change of unknown fields does. */
  isTouched(changed: readonly string[] | undefined): boolean;
}

/** How names of fields are compared: what is read in any spelling of the provider's key, what is listed perhaps exactly. */
export interface WatchNames {
  fieldKey(name: string): string;
  comparesExactly: boolean;
}

export const listWatchNames = (connector: Pick<Connector, "read" | "subscribe"> | undefined): WatchNames => ({
  fieldKey: connector?.read?.fieldKey ?? ((name) => name),
  comparesExactly: connector?.subscribe?.comparesNamesExactly ?? false,
});

/** Resolves mapped names by the mapping of the moment. */
export function resolveWatchedFields(
  { watch, read }: Pick<SubscribeDefinition, "watch" | "read">,
  { fieldKey, comparesExactly }: WatchNames,
): WatchedFields {
  if (watch === "all") return watchEveryField();
  const mappings = read?.mappings ?? new Map<string, string>();
  if (watch === "selected") {
    const { required = [], selected = [], all = false, excluded = [] } = read?.fields ?? {};
    if (all) return watchEveryFieldBut(excluded, fieldKey);
    return watchOnly([...required, ...selected, ...mappings.values()], fieldKey);
  }
  const unmapped: string[] = [];
  const misspelt: string[] = [];
  const requiredMappings = new Set(read?.requiredMappings);
  const names = watch.flatMap((name) => {
    const field = mappings.get(name);
    if (field !== undefined) return field;
    const why = requiredMappings.has(name)
      ? unmapped
      : comparesExactly && fieldKey(name) !== name
        ? misspelt
        : undefined;
    why?.push(name);
    return why ? [] : [name];
  });
  return { ...watchOnly(names, fieldKey), unmapped, misspelt };
}

const NONE_LOST = { unmapped: [], misspelt: [] };

const watchEveryField = (): WatchedFields => ({ names: undefined, ...NONE_LOST, isTouched: () => true });

function watchEveryFieldBut(excluded: string[], fieldKey: (name: string) => string): WatchedFields {
  const keys = new Set(excluded.map(fieldKey));
  return {
    names: undefined,
    ...NONE_LOST,
    isTouched: (changed) => !changed || changed.some((name) => !keys.has(fieldKey(name))),
  };
}

function watchOnly(names: string[], fieldKey: (name: string) => string): WatchedFields {
  // A path in brackets begins with the field that changes.
  const fields = names.map(readFirstStep);
  const byKey = new Map(fields.map((name) => [fieldKey(name), name]));
  return {
    names: [...byKey.values()],
    ...NONE_LOST,
    isTouched: (changed) => !changed || changed.some((name) => byKey.has(fieldKey(name))),
  };
}
