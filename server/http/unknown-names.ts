/** Finds names in a request that its schema does not have, and suggests what was meant. */
import type { TSchema } from "typebox";
import { suggestName } from "../../ground/closest.ts";

/** A name that the schema does not have, with its path and the names that are possible there. */
interface UnknownName {
  path: string;
  name: string;
  known: string[];
}

/** The parts of TypeBox's schemas that say which names exist. */
interface Shape {
  properties?: Record<string, Shape>;
  patternProperties?: Record<string, Shape>;
  additionalProperties?: unknown;
  items?: Shape;
  anyOf?: Shape[];
  oneOf?: Shape[];
  allOf?: Shape[];
}

type Scan = (value: unknown, path: string, found: UnknownName[]) => void;

/**
 * Returns a function that lists the unknown names of a value. An object is closed unless its schema says
 * `additionalProperties: true`. The resource beside an `updateMask` is not checked: clients send it as they got it, and the
 * mask names what counts.
 */
export function findUnknownNames(schema: TSchema): (value: unknown) => UnknownName[] {
  const shape = schema as Shape;
  const scan = shape.properties?.["updateMask"]
    ? buildNameCheck(Object.keys(shape.properties))
    : compileNames([shape]);
  return (value) => {
    const found: UnknownName[] = [];
    scan?.(value, "", found);
    return found;
  };
}

/** Returns undefined where every name is possible at every depth. */
function compileNames(alternatives: Shape[]): Scan | undefined {
  const shapes = alternatives.flatMap(listBranches);
  if (shapes.length === 0) return undefined;
  const scans = [compileItems(shapes), compileMembers(shapes)].filter((scan) => scan !== undefined);
  if (scans.length === 0) return undefined;
  return (value, path, found) => scans.forEach((scan) => scan(value, path, found));
}

const listBranches = (shape: Shape): Shape[] => {
  const inner = shape.anyOf ?? shape.oneOf ?? shape.allOf;
  return inner ? inner.flatMap(listBranches) : [shape];
};

function compileItems(shapes: Shape[]): Scan | undefined {
  const scan = compileNames(shapes.flatMap(({ items }) => items ?? []));
  if (!scan) return undefined;
  return (value, path, found) => {
    if (Array.isArray(value)) value.forEach((item, at) => scan(item, `${path}[${at}]`, found));
  };
}

function compileMembers(shapes: Shape[]): Scan | undefined {
  const objects = shapes.filter(({ properties, patternProperties }) => properties ?? patternProperties);
  if (objects.length === 0) return undefined;
  const isOpen = objects.some(
    ({ patternProperties, additionalProperties }) => patternProperties ?? additionalProperties === true,
  );
  const known = [...new Set(objects.flatMap(({ properties = {} }) => Object.keys(properties)))];
  const checkNames = isOpen ? undefined : buildNameCheck(known);
  const members = new Map(
    known.map((name) => [name, compileNames(objects.flatMap(({ properties }) => properties?.[name] ?? []))]),
  );
  const others = compileNames(
    objects.flatMap(({ patternProperties = {} }) => Object.values(patternProperties)),
  );
  if (!checkNames && !others && ![...members.values()].some(Boolean)) return undefined;
  return (value, path, found) => {
    checkNames?.(value, path, found);
    for (const [name, member] of listEntries(value)) {
      (members.get(name) ?? others)?.(member, joinPath(path, name), found);
    }
  };
}

const buildNameCheck =
  (known: string[]): Scan =>
  (value, path, found) => {
    for (const [name] of listEntries(value)) {
      if (!known.includes(name)) found.push({ path: joinPath(path, name), name, known });
    }
  };

const listEntries = (value: unknown): [string, unknown][] =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : [];

const joinPath = (path: string, name: string): string => (path ? `${path}.${name}` : name);

/** The names that a request may have, by place. */
export interface Names {
  query: readonly string[];
  body: readonly string[];
  header: readonly string[];
}

const PLACES = {
  query: (name: string) => `\`${name}\` is a query parameter: send it in the URL.`,
  body: (name: string) => `\`${name}\` is a member of the body.`,
  header: (name: string) => `\`${name}\` is a header.`,
};

/** What other APIs call it; the nearest name would be `record`. */
const OTHER_WORDS = new Map(["records", "items", "inputs"].map((word) => [word, "batch"]));

/** Returns what to do about an unknown name: the right place if it is a name of another place, else the nearest one. */
export function adviseOnName(
  { path, name, known }: UnknownName,
  place: "query" | "body",
  names: Names,
): string {
  if (path === name) {
    for (const other of ["query", "body", "header"] as const) {
      const meant =
        other !== place && names[other].find((candidate) => normalizeName(candidate) === normalizeName(name));
      if (meant) return PLACES[other](meant);
    }
  }
  if (known.length === 0) return "Remove it.";
  const other = OTHER_WORDS.get(normalizeName(name));
  if (other !== undefined && known.includes(other)) return `Did you mean "${other}"?`;
  const list = known.length > 20 ? "" : ` Known: ${known.join(", ")}.`;
  return suggestName(name, known, `Remove it.${list}`);
}

/** Normalizes a name, so that `Idempotency-Key` equals `idempotencyKey`. */
const normalizeName = (name: string): string => name.replaceAll(/[-_]/g, "").toLowerCase();
