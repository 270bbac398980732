/** Collects what the configuration rules find, as issues of the request body. */
import type { Issue } from "../ground/errors.ts";
import type { Json } from "../ground/json.ts";
import type { Path } from "./finding.ts";
import { readMap, listMemberMaps, readMember, readText, type LocatedValue } from "./located-value.ts";

export type AddIssue = (path: Path, detail: string, remedy: string, value?: Json) => void;

/** Creates a function that appends to `issues`; names begin with `config.content`. */
export const createAddIssue =
  (issues: Issue[]): AddIssue =>
  (path, detail, remedy, value) => {
    const shown = typeof value === "object" || value === undefined ? {} : { value };
    issues.push({ in: "body", name: formatName(path), detail, ...shown, remedy });
  };

/** Returns for example `config.content.read.objects.contacts.fieldFilters[0]`; names are not escaped. */
export const formatName = (path: Path): string =>
  path.reduce<string>(
    (text, step) => (typeof step === "number" ? `${text}[${step}]` : `${text}.${step}`),
    "config.content",
  );

/** One object of `read.objects`, `write.objects` or `subscribe.objects`. The key is the default of `objectName`. */
export interface ConfigObject extends LocatedValue {
  name: string;
}

export function listConfigObjects(
  content: LocatedValue,
  action: "read" | "write" | "subscribe",
): ConfigObject[] {
  const block = readMap(content, action);
  return (block ? listMemberMaps(block, "objects") : []).map((place) => ({
    ...place,
    name: readText(place, "objectName") ?? String(place.path.at(-1)),
  }));
}

/** Returns the texts of a map by key, without empty ones, which mean "not chosen". */
export function listChosenTexts(place: LocatedValue, key: string): Map<string, string> {
  const value = readMember(place, key);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return new Map();
  return new Map(
    Object.entries(value).flatMap(([name, text]): [string, string][] =>
      typeof text === "string" && text !== "" ? [[name, text]] : [],
    ),
  );
}
