/** Turns TypeBox schemas into the schemas of the OpenAPI document: each named shape appears once, under its title. */
import type { TSchema } from "typebox";

export type Document = Record<string, unknown>;

export interface Shapes {
  /** Returns the schema for the document. `unnamed` is for a shape that has no `title`. */
  show(schema: TSchema, unnamed?: { name: string; description: string }): Document;
  /** Returns all named shapes shown so far, by name. */
  components(): Record<string, Document>;
}

/** Collects what is shown. Throws when two different shapes share a name. */
export function collectShapes(): Shapes {
  const components = new Map<string, Document>();

  function show(given: TSchema, unnamed?: { name: string; description: string }): Document {
    const { title: own, ...rest } = asShown(given) as TSchema & { title?: string };
    const title = own ?? unnamed?.name;
    if (title === undefined || !isObject(rest)) return plain(rest);
    const component = plain(rest);
    if (own === undefined) component["description"] ??= unnamed?.description;
    const known = components.get(title);
    if (known && JSON.stringify(known) !== JSON.stringify(component)) {
      throw new Error(`two schemas are called ${title}: give one another title`);
    }
    components.set(title, component);
    return { $ref: `#/components/schemas/${title}` };
  }

  function plain(schema: Document): Document {
    const { properties, patternProperties, items, anyOf, ...rest } = schema as {
      properties?: Record<string, TSchema>;
      patternProperties?: Record<string, TSchema>;
      items?: TSchema;
      anyOf?: TSchema[];
    } & Document;
    const shown: Document = addType(rest);
    if (properties) shown["properties"] = mapValues(properties, (_key, member) => showMember(member));
    // TypeBox writes a record as `patternProperties`; `additionalProperties` is shorter.
    const [values] = Object.values(patternProperties ?? {});
    if (values) shown["additionalProperties"] = plainOrNamed(values);
    if (items) shown["items"] = plainOrNamed(items);
    if (anyOf) Object.assign(shown, choice(anyOf));
    return shown;
  }

  function plainOrNamed(given: TSchema): Document {
    const schema = asShown(given);
    return "title" in schema ? show(schema) : plain(schema as Document);
  }

  /** The description of a named shape stays with the shape; that of a member (`described`) is a sibling of the `$ref`. */
  function showMember(given: TSchema): Document {
    const shown = plainOrNamed(given);
    const { description } = given as { description?: string };
    const isShapeItself = "title" in given && !("shownAs" in given);
    return description === undefined || isShapeItself ? shown : { ...shown, description };
  }

  /** Shows a union of string literals as an enumeration. */
  function choice(anyOf: TSchema[]): Document {
    const texts = anyOf.map((one) => (one as { const?: unknown }).const);
    if (texts.every((text) => typeof text === "string")) return { type: "string", enum: texts };
    return { anyOf: anyOf.map((one) => plainOrNamed(one)) };
  }

  return {
    show,
    components: () => Object.fromEntries([...components].toSorted(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/** Returns the schema to show in place of another: for a member with a description of its own, or if code checks the value. */
const asShown = (schema: TSchema): TSchema => (schema as { shownAs?: TSchema }).shownAs ?? schema;

const isObject = (schema: Document): boolean => schema["type"] === "object" && "properties" in schema;

/** Adds `type: string` to an enumeration of strings. */
function addType(schema: Document): Document {
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
