/** The list that rules about a configuration write their findings into, as issues of the request body. */
import type { Issue } from "../ground/errors.ts";
import type { Json } from "../ground/json.ts";
import type { Path } from "./finding.ts";
import { mapOf, mapsOfMap, memberOf, textOf, type LocatedValue } from "./located-value.ts";

export type AddIssue = (path: Path, detail: string, remedy: string, value?: Json) => void;

/** Collects into `issues`; names begin with `config.content`. */
export const createAddIssue =
  (issues: Issue[]): AddIssue =>
  (path, detail, remedy, value) => {
    const shown = typeof value === "object" || value === undefined ? {} : { value };
    issues.push({ in: "body", name: formatName(path), detail, ...shown, remedy });
  };

/** `config.content.read.objects.contacts.fieldFilters[0]`; object and field names stand as they are. */
export const formatName = (path: Path): string =>
  path.reduce<string>(
    (text, step) => (typeof step === "number" ? `${text}[${step}]` : `${text}.${step}`),
    "config.content",
  );

/** One object of `read.objects` and its kin. The key names the object when `objectName` is left out. */
export interface ConfigObject extends LocatedValue {
  name: string;
}

export function configObjectsOf(
  content: LocatedValue,
  action: "read" | "write" | "subscribe",
): ConfigObject[] {
  const block = mapOf(content, action);
  return (block ? mapsOfMap(block, "objects") : []).map((place) => ({
    ...place,
    name: textOf(place, "objectName") ?? String(place.path.at(-1)),
  }));
}

/** The texts of a map by key, without those that are empty, which stand for "not chosen". */
export function chosenTexts(place: LocatedValue, key: string): Map<string, string> {
  const value = memberOf(place, key);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return new Map();
  return new Map(
    Object.entries(value).flatMap(([name, text]): [string, string][] =>
      typeof text === "string" && text !== "" ? [[name, text]] : [],
    ),
  );
}
