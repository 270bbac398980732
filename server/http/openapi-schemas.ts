/** Schemas as the OpenAPI document shows them: each named shape once, each member with words. */
import type { TSchema } from "typebox";

export type Document = Record<string, unknown>;

/** What members mean: under `Shape.member`, else `parent.member`, else `member`; a shape under its own name. */
export type Words = Record<string, string>;

export interface Shapes {
  /** The schema for the document. `unnamed` is for a shape that has no `title`. */
  show(schema: TSchema, unnamed?: { name: string; description: string }): Document;
  /** The words for a member or parameter that says nothing itself. */
  wordsFor(member: string, within?: string): string | undefined;
  /** Every named shape that was shown, by name. */
  components(): Record<string, Document>;
  /** Words that nothing asked for. */
  unused(): string[];
}

/** Collects what is shown. Throws when two different shapes share a name. */
export function collectShapes(words: Words): Shapes {
  const components = new Map<string, Document>();
  const used = new Set<string>();

  function wordsFor(member: string, within?: string): string | undefined {
    const key = [`${within}.${member}`, member].find((one) => Object.hasOwn(words, one));
    if (key === undefined) return undefined;
    used.add(key);
    return words[key];
  }

  function show(given: TSchema, unnamed?: { name: string; description: string }): Document {
    const { title: own, ...rest } = asShown(given) as TSchema & { title?: string };
    const title = own ?? unnamed?.name;
    if (title === undefined || !isObject(rest)) return plain(rest, title);
    const component = plain(rest, title);
    component["description"] ??= wordsFor(title) ?? (own === undefined ? unnamed?.description : undefined);
    const known = components.get(title);
    if (known && JSON.stringify(known) !== JSON.stringify(component)) {
      throw new Error(`two schemas are called ${title}: give one another title`);
    }
    components.set(title, component);
    return { $ref: `#/components/schemas/${title}` };
  }

  /** `within` is the shape or member that words of the members are looked up under. */
  function plain(schema: Document, within: string | undefined): Document {
    const { properties, patternProperties, items, anyOf, ...rest } = schema as {
      properties?: Record<string, TSchema>;
      patternProperties?: Record<string, TSchema>;
      items?: TSchema;
      anyOf?: TSchema[];
    } & Document;
    const shown: Document = typed(rest);
    if (properties)
      shown["properties"] = mapValues(properties, (key, member) => showMember(key, member, within));
    // A record of any key; JSON Schema says so in fewer words than TypeBox.
    const [values] = Object.values(patternProperties ?? {});
    if (values) shown["additionalProperties"] = plainOrNamed(values, within);
    if (items) shown["items"] = plainOrNamed(items, within);
    if (anyOf) Object.assign(shown, choice(anyOf, within));
    return shown;
  }

  function plainOrNamed(given: TSchema, within: string | undefined): Document {
    const schema = asShown(given);
    return "title" in schema ? show(schema) : plain(schema as Document, within);
  }

  function showMember(key: string, given: TSchema, within: string | undefined): Document {
    const member = asShown(given);
    const titled = "title" in member;
    const { description: own, ...rest } = member as Document;
    // What a named shape says of itself stands with the shape.
    const description = (titled ? undefined : own) ?? wordsFor(key, within);
    const shown = titled ? show(member) : plain(rest, key);
    return description === undefined ? shown : { ...shown, description };
  }

  /** A choice of texts is an enumeration. */
  function choice(anyOf: TSchema[], within: string | undefined): Document {
    const texts = anyOf.map((one) => (one as { const?: unknown }).const);
    if (texts.every((text) => typeof text === "string")) return { type: "string", enum: texts };
    return { anyOf: anyOf.map((one) => plainOrNamed(one, within)) };
  }

  return {
    show,
    wordsFor,
    components: () => Object.fromEntries([...components].toSorted(([a], [b]) => (a < b ? -1 : 1))),
    unused: () => Object.keys(words).filter((key) => !used.has(key)),
  };
}

/** What is checked in better words than a schema has may say in `shownAs` what it looks like. */
const asShown = (schema: TSchema): TSchema => (schema as { shownAs?: TSchema }).shownAs ?? schema;

const isObject = (schema: Document): boolean => schema["type"] === "object" && "properties" in schema;

/** An enumeration of texts says that it holds texts. */
function typed(schema: Document): Document {
  const values = schema["enum"];
  const texts = Array.isArray(values) && values.every((value) => typeof value === "string");
  return texts && schema["type"] === undefined ? { type: "string", ...schema } : { ...schema };
}

export function mapValues<From, To>(
  from: Record<string, From>,
  to: (key: string, value: From) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(from).map(([key, value]) => [key, to(key, value)]));
}
