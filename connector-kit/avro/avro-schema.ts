/** Reads Avro schemas into types that values are decoded by. */
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";

export type AvroType =
  | { kind: "null" | "boolean" | "int" | "long" | "float" | "double" | "bytes" | "string" }
  | { kind: "enum"; symbols: string[] }
  | { kind: "fixed"; size: number }
  | { kind: "array" | "map"; items: AvroType }
  | { kind: "union"; branches: AvroType[] }
  | AvroRecordType;

export interface AvroRecordType {
  kind: "record";
  name: string;
  fields: AvroField[];
}

export interface AvroField {
  name: string;
  type: AvroType;
  /** A remark on the field. */
  doc: string;
}

const PRIMITIVES = ["null", "boolean", "int", "long", "float", "double", "bytes", "string"] as const;
const DEEPEST = 32;

/** Throws `RangeError` for what is no schema. */
export function parseAvroSchema(text: string): AvroType {
  try {
    return readType(JSON.parse(text), { named: new Map(), namespace: "" }, 0);
  } catch (error) {
    if (error instanceof RangeError) throw error;
    throw new RangeError("the Avro schema is not JSON", { cause: error });
  }
}

interface Scope {
  named: Map<string, AvroType>;
  namespace: string;
}

function readType(schema: Json | undefined, scope: Scope, depth: number): AvroType {
  if (depth > DEEPEST) throw new RangeError("the Avro schema is nested too deeply");
  if (Array.isArray(schema)) {
    return { kind: "union", branches: schema.map((branch) => readType(branch, scope, depth + 1)) };
  }
  if (typeof schema === "string") return findNamedType(schema, scope);
  if (!isJsonObject(schema)) throw new RangeError("a type of the Avro schema is neither name nor object");
  const { type } = schema;
  if (type === "record") return findRecordType(schema, scope, depth);
  if (type === "enum") return remember(schema, scope, { kind: "enum", symbols: listTexts(schema.symbols) });
  if (type === "fixed") return remember(schema, scope, { kind: "fixed", size: readSize(schema.size) });
  if (type === "array") return { kind: "array", items: readType(schema.items, scope, depth + 1) };
  if (type === "map") return { kind: "map", items: readType(schema.values, scope, depth + 1) };
  // `{"type": "long", "logicalType": …}` is the plain type.
  return readType(type, scope, depth + 1);
}

function findNamedType(name: string, { named, namespace }: Scope): AvroType {
  const primitive = PRIMITIVES.find((one) => one === name);
  if (primitive) return { kind: primitive };
  const found = named.get(name) ?? named.get(`${namespace}.${name}`);
  if (!found) throw new RangeError(`the Avro schema has no type ${name}`);
  return found;
}

function findRecordType(schema: JsonObject, scope: Scope, depth: number): AvroRecordType {
  const record: AvroRecordType = { kind: "record", name: String(schema.name ?? ""), fields: [] };
  // Before the fields: they may name the record.
  remember(schema, scope, record);
  const within = { ...scope, namespace: findNamespace(schema, scope) };
  for (const field of Array.isArray(schema.fields) ? schema.fields : []) {
    if (!isJsonObject(field)) throw new RangeError(`a field of ${record.name} is no object`);
    const { name, type, doc } = field;
    record.fields.push({
      name: String(name ?? ""),
      type: readType(type, within, depth + 1),
      doc: typeof doc === "string" ? doc : "",
    });
  }
  return record;
}

function remember<Type extends AvroType>(schema: JsonObject, scope: Scope, type: Type): Type {
  const name = String(schema.name ?? "");
  const namespace = findNamespace(schema, scope);
  scope.named.set(name.includes(".") || namespace === "" ? name : `${namespace}.${name}`, type);
  return type;
}

const findNamespace = (schema: JsonObject, { namespace }: Scope): string =>
  typeof schema.namespace === "string" ? schema.namespace : namespace;

const listTexts = (list: Json | undefined): string[] => (Array.isArray(list) ? list.map(String) : []);

function readSize(size: Json | undefined): number {
  if (typeof size === "number" && Number.isSafeInteger(size) && size >= 0) return size;
  throw new RangeError("a fixed type of the Avro schema has no size");
}
