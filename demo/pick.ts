/** Reduces an answer to the members that a step shows. */
import { isJsonObject, type Json } from "../ground/json.ts";

/** Returns the members at the paths, nested as before; `*` means every item of a list. Missing members are left out. */
export function pick(value: Json, paths: string[]): Json {
  return pickParts(
    value,
    paths.map((path) => path.split(".")),
  );
}

function pickParts(value: Json, paths: string[][]): Json {
  if (paths.some((path) => path.length === 0)) return value;
  if (Array.isArray(value)) return value.map((item) => pickParts(item, below(paths, "*")));
  if (!isJsonObject(value)) return value;
  const names = [...new Set(paths.flatMap(([first]) => first ?? []))].filter((name) =>
    Object.hasOwn(value, name),
  );
  return Object.fromEntries(names.map((name) => [name, pickParts(value[name] ?? null, below(paths, name))]));
}

const below = (paths: string[][], name: string): string[][] =>
  paths.filter(([first]) => first === name).map(([, ...rest]) => rest);
