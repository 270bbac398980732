/** Cuts an excerpt out of a vendor's schema that covers the facts: `connectors/<provider>/facts.graphql`. */
import {
  astFromValue,
  buildClientSchema,
  buildSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
  isScalarType,
  isSpecifiedScalarType,
  print,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
  type IntrospectionQuery,
} from "graphql";
import type { Facts, ListFact, ObjectFacts, RecordFact } from "../../../connector-kit/facts/facts.ts";

type Path = string[];
type Member = GraphQLField<unknown, unknown> | GraphQLInputField;

const ACTIONS = ["list", "changes", "get", "create", "update", "upsert", "delete"] as const;

/**
 * Builds the excerpt: the fields and arguments that facts name, everything on the paths to them, all scalar members of the
 * types on these paths, and whatever the vendor requires. Throws an error that names a field which the vendor does not have.
 */
export function cutSchemaExcerpt(schema: GraphQLSchema, facts: Facts): string {
  const kept = new Map<GraphQLNamedType, Set<string>>();
  for (const [name, object] of Object.entries(facts.objects))
    for (const action of ACTIONS) {
      const fact = object[action];
      if (fact?.field === undefined) continue;
      const isRead = action === "list" || action === "changes" || action === "get";
      const root = isRead ? schema.getQueryType() : schema.getMutationType();
      const [first = "", ...rest] = fact.field.split(".");
      const field = root?.getFields()[first];
      if (!root || !field)
        throw new Error(
          `objects.${name}.${action}: the vendor has no ${isRead ? "query" : "mutation"} ${first}`,
        );
      keep(kept, root, first);
      const paths = listAnswerPaths(fact, object).map((path) => [...rest, ...path]);
      keepField(kept, field, paths, listArgumentPaths(fact));
    }
  keepNamedTypes(kept, schema, facts);
  const inOrder = Object.values(schema.getTypeMap()).filter((type) => kept.has(type));
  const isRoot = (type: GraphQLNamedType) =>
    type === schema.getQueryType() || type === schema.getMutationType();
  const texts = [...inOrder.filter(isRoot), ...inOrder.filter((type) => !isRoot(type))]
    .map((type) => printType(type, kept, schema))
    .filter((text) => text !== "");
  return [printRoots(schema), ...texts].filter((text) => text !== "").join("\n");
}

/** Reads a vendor's schema: SDL, or the answer to an introspection, inside `data` or not. */
export function readGraphqlSchema(text: string): GraphQLSchema {
  if (!text.trimStart().startsWith("{")) return buildSchema(text, { assumeValidSDL: true });
  const read = JSON.parse(text) as { data?: IntrospectionQuery } & IntrospectionQuery;
  return buildClientSchema(read.data ?? read, { assumeValid: true });
}

/** Declares roots with other names than the usual ones. */
function printRoots(schema: GraphQLSchema): string {
  const [query, mutation] = [schema.getQueryType()?.name, schema.getMutationType()?.name];
  if ((query ?? "Query") === "Query" && (mutation ?? "Mutation") === "Mutation") return "";
  return `schema {\n  query: ${query}\n${mutation === undefined ? "" : `  mutation: ${mutation}\n`}}\n`;
}

type Kept = Map<GraphQLNamedType, Set<string>>;

function keep(kept: Kept, type: GraphQLNamedType, member: string): void {
  kept.set(type, (kept.get(type) ?? new Set()).add(member));
}

function keepField(kept: Kept, field: GraphQLField<unknown, unknown>, paths: Path[], named: Path[]): void {
  for (const argument of field.args) {
    const below = named.filter(([first]) => first === argument.name).map(([, ...rest]) => rest);
    if (isLeafType(getNamedType(argument.type)) || isRequiredArgument(argument) || below.length > 0)
      keepType(kept, getNamedType(argument.type), below);
  }
  keepType(kept, getNamedType(field.type), paths, named);
}

/** Keeps the scalar members of a type, and the members on the paths. */
function keepType(kept: Kept, type: GraphQLNamedType, paths: Path[], named: Path[] = []): void {
  const isNew = !kept.has(type);
  if (isNew) kept.set(type, new Set());
  if (!isObjectType(type) && !isInputObjectType(type) && !isInterfaceType(type)) return;
  const members: Member[] = Object.values(type.getFields());
  for (const member of members) {
    const below = paths.filter(([first]) => first === member.name).map(([, ...rest]) => rest);
    const isPlain = isLeafType(getNamedType(member.type)) || isDemanded(member);
    if (below.length === 0 && !(isNew && isPlain)) continue;
    keep(kept, type, member.name);
    if ("args" in member) keepField(kept, member, below, named);
    else keepType(kept, getNamedType(member.type), below);
  }
}

/** Keeps, of the types that an interface can be, those that examples name by `__typename`. */
function keepNamedTypes(kept: Kept, schema: GraphQLSchema, facts: Facts): void {
  const names = new Set([...JSON.stringify(facts).matchAll(/"__typename":"(\w+)"/g)].map(([, name]) => name));
  for (const type of [...kept.keys()].filter(isInterfaceType))
    for (const one of schema.getPossibleTypes(type)) if (names.has(one.name)) keepType(kept, one, []);
}

const isDemanded = (member: Member): boolean => !("args" in member) && isRequiredInputField(member);

/** Lists the paths in the answer to a field. */
function listAnswerPaths(fact: ListFact | RecordFact, object: ObjectFacts): Path[] {
  const record = "records" in fact ? [fact.records, fact.each].filter(Boolean).join(".") : fact.record;
  const beside = [
    ...Object.keys(fact.envelope ?? {}),
    ...("paging" in fact ? [fact.paging.from, fact.paging.more, fact.paging.total] : [fact.answerId]),
  ];
  const inRecord = [
    "",
    object.id.path,
    object.changed?.path,
    object.created?.path,
    object.fieldList?.at,
    ...("paging" in fact ? [fact.since?.field, fact.deleted?.at] : []),
    ...listPaths(object.example ?? {}),
  ];
  return [
    ...beside,
    ...(record === undefined ? [] : inRecord.map((path) => path && [record, path].filter(Boolean).join("."))),
    record,
  ].flatMap((path) => (path === undefined || path === "" ? [] : [path.split(".")]));
}

/** Lists the paths of an example's members; entries of lists have no step of their own. */
function listPaths(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(listPaths);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    name,
    ...listPaths(inner).map((path) => `${name}.${path}`),
  ]);
}

/** Lists the paths of the arguments that a fact names anywhere. */
const listArgumentPaths = (fact: ListFact | RecordFact): Path[] => [
  ...[...JSON.stringify(fact).matchAll(/argument\.([\w.]+)/g)].map(([, path = ""]) => path.split(".")),
  ...("wrap" in fact && fact.wrap !== undefined ? [fact.wrap.split(".")] : []),
];

/** Maximum number of an enum's values: lists of all countries and currencies are no facts about an object. */
const MAX_VALUES = 60;

function printType(type: GraphQLNamedType, kept: Kept, schema: GraphQLSchema): string {
  if (isEnumType(type) && type.getValues().length > MAX_VALUES) return `scalar ${type.name}\n`;
  if (isScalarType(type)) return isSpecifiedScalarType(type) ? "" : `scalar ${type.name}\n`;
  if (isEnumType(type))
    return `enum ${type.name} {\n${type
      .getValues()
      .map(({ name, deprecationReason }) => `  ${name}${printDeprecation(deprecationReason)}\n`)
      .join("")}}\n`;
  if (!isObjectType(type) && !isInputObjectType(type) && !isInterfaceType(type))
    return `scalar ${type.name}\n`;
  const members: Member[] = Object.values(type.getFields());
  const lines = members
    .filter(({ name }) => kept.get(type)?.has(name))
    .map((member) => printMember(member, kept));
  const shapes = isObjectType(type) ? type.getInterfaces().filter((one) => kept.has(one)) : [];
  const implemented = shapes.length === 0 ? "" : ` implements ${shapes.map(({ name }) => name).join(" & ")}`;
  return `${getKeyword(type, kept, schema)} ${type.name}${implemented} {\n${lines.join("")}}\n`;
}

/** An interface of which no type is kept is a type of its own. */
function getKeyword(type: GraphQLNamedType, kept: Kept, schema: GraphQLSchema): string {
  if (isInputObjectType(type)) return "input";
  return isInterfaceType(type) && schema.getPossibleTypes(type).some((one) => kept.has(one))
    ? "interface"
    : "type";
}

function printMember(member: Member, kept: Kept): string {
  const args = "args" in member ? member.args.filter((one) => kept.has(getNamedType(one.type))) : [];
  const listed = args.length === 0 ? "" : `(${args.map(printInput).join(", ")})`;
  const text = "args" in member ? `${member.name}${listed}: ${member.type}` : printInput(member);
  return `  ${text}${"args" in member ? printDeprecation(member.deprecationReason) : ""}\n`;
}

function printInput(input: GraphQLArgument | GraphQLInputField): string {
  const { name, type, defaultValue, deprecationReason } = input;
  const usual = defaultValue === undefined ? undefined : astFromValue(defaultValue, type);
  return `${name}: ${type}${usual ? ` = ${print(usual)}` : ""}${printDeprecation(deprecationReason)}`;
}

/** Marks a deprecation, without its reason: that is the vendor's text, and often long. */
const printDeprecation = (reason: string | null | undefined): string =>
  reason === null || reason === undefined ? "" : " @deprecated";
