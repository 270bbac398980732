/** Completes facts about mutations with the members of their inputs in the vendor's schema. */
import {
  buildSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isObjectType,
  isNonNullType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
} from "graphql";
import type { Facts, ObjectFacts, Parameter, RecordFact } from "../../../connector-kit/facts/facts.ts";

/** Adds the bodies of creates, updates and upserts to the facts, with names and types. */
export function addBodies(facts: Facts, sdl: string): Facts {
  const schema = buildSchema(sdl);
  const completeFact = (object: ObjectFacts): ObjectFacts => {
    const record = recordType(schema, object);
    const actions = (["create", "update", "upsert"] as const).flatMap((action) => {
      const fact = object[action];
      return fact?.field === undefined ? [] : [[action, { ...fact, body: buildBody(schema, fact, record) }]];
    });
    return { ...object, ...(Object.fromEntries(actions) as Partial<ObjectFacts>) };
  };
  return {
    ...facts,
    objects: Object.fromEntries(
      Object.entries(facts.objects).map(([name, object]) => [name, completeFact(object)]),
    ),
  };
}

type Member = GraphQLInputField | GraphQLArgument;

/** Lists the members of a body that accept a text: those that records have under the same name, and those that the vendor requires. */
function buildBody(
  schema: GraphQLSchema,
  { field = "", wrap = "", named = {}, idTo, body }: RecordFact,
  record: GraphQLObjectType | undefined,
): Record<string, Parameter> {
  const members = listMembers(schema.getMutationType()?.getFields()[field]?.args ?? [], wrap)
    .map((member) => ({ member, path: wrap === "" ? member.name : `${wrap}.${member.name}` }))
    .filter(({ path }) => `argument.${path}` !== idTo)
    .flatMap(({ member, path }): [string, Parameter][] => {
      const required = isDemanded(member);
      const shown = record?.getFields()[named[path] ?? member.name];
      const isPlain = shown !== undefined && isText(shown.type) && isText(member.type);
      return required || isPlain ? [[path, buildRule(member, required)]] : [];
    });
  return { ...Object.fromEntries(members), ...body };
}

/** Returns the members of the input at a path, or the arguments themselves. */
function listMembers(args: readonly GraphQLArgument[], wrap: string): readonly Member[] {
  let members: readonly Member[] = args;
  for (const step of wrap.split(".").filter((part) => part !== "")) {
    const member: Member | undefined = members.find(({ name }) => name === step);
    const type = member && getNamedType(member.type);
    members = isInputObjectType(type) ? Object.values(type.getFields()) : [];
  }
  return members;
}

const isDemanded = ({ type, defaultValue }: Member): boolean =>
  isNonNullType(type) && defaultValue === undefined;

const isText = (type: GraphQLInputType | GraphQLOutputType): boolean =>
  String(getNullableType(type)) === "String";

const TYPES: Record<string, Parameter["type"]> = { Int: "integer", Float: "number", Boolean: "boolean" };

function buildRule({ type }: Member, required: boolean): Parameter {
  const bare = getNullableType(type);
  const named = getNamedType(type);
  return {
    ...(required && { required }),
    type: isListType(bare) ? "array" : isLeafType(named) ? (TYPES[named.name] ?? "string") : "object",
    ...(isEnumType(bare) && { enum: bare.getValues().map(({ name }) => name) }),
  };
}

function recordType(schema: GraphQLSchema, { get, list }: ObjectFacts): GraphQLObjectType | undefined {
  const path = get?.field ?? [list?.field, list?.records].filter(Boolean).join(".");
  let type: GraphQLNamedType | undefined = schema.getQueryType() ?? undefined;
  for (const step of path.split(".")) {
    const field: GraphQLField<unknown, unknown> | undefined = isObjectType(type)
      ? type.getFields()[step]
      : undefined;
    type = field && getNamedType(field.type);
  }
  return isObjectType(type) ? type : undefined;
}
