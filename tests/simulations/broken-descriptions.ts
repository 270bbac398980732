/** Breaks a good description at every place, each of which must then be refused. */
import type { Description } from "../../connector-kit/declarative/rules/description.ts";
import { isJsonObject, type Json } from "../../ground/json.ts";

interface BrokenDescription {
  /** Place of the fault, as checks name it below `connector`. */
  place: string;
  description: Json;
}

/** Builds a broken description for each member and each wrong value of it. Members of examples and bodies may have any value. */
export function breakDescription(description: Description): BrokenDescription[] {
  const good: Json = JSON.parse(JSON.stringify(description));
  return listPlaces(good).flatMap(({ place, steps, value }) =>
    listWrongValues(value).map((wrong) => ({ place, description: replaceAt(good, steps, wrong) })),
  );
}

interface Place {
  place: string;
  steps: string[];
  value: Json;
}

function listPlaces(value: Json, place = "connector", steps: string[] = []): Place[] {
  const here = steps.length === 0 ? [] : [{ place, steps, value }];
  if (["example", "body"].includes(steps.at(-1) ?? "")) return here;
  const members = Array.isArray(value)
    ? value.map((item, index): [string, string, Json] => [String(index), `${place}[${index}]`, item])
    : Object.entries(isJsonObject(value) ? value : {}).map(([name, item]): [string, string, Json] => [
        name,
        `${place}.${name}`,
        item,
      ]);
  return [...here, ...members.flatMap(([step, at, item]) => listPlaces(item, at, [...steps, step]))];
}

const listWrongValues = (value: Json): Json[] =>
  typeof value === "object" && value !== null ? [7, null] : [{ strange: true }, null];

function replaceAt(value: Json, [first, ...rest]: string[], wrong: Json): Json {
  if (first === undefined) return wrong;
  if (Array.isArray(value))
    return value.map((item, index) => (String(index) === first ? replaceAt(item, rest, wrong) : item));
  if (!isJsonObject(value)) return value;
  return { ...value, [first]: replaceAt(value[first] ?? null, rest, wrong) };
}
