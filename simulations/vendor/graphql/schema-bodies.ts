/** Completes facts about mutations with the members of their inputs, which the vendor's schema names. */
import {
  buildSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isObjectType,
  isRequiredInputField,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
} from "graphql";
import type { Facts, ObjectFacts, Parameter, RecordFact } from "../../../connector-kit/facts/facts.ts";

/** Returns the facts with the body of each create, update and upsert, as far as names and types go. */
export function withBodies(facts: Facts, sdl: string): Facts {
  const schema = buildSchema(sdl);
  const completed = (object: ObjectFacts): ObjectFacts => {
    const record = recordType(schema, object);
    const actions = (["create", "update", "upsert"] as const).flatMap((action) => {
      const fact = object[action];
      return fact?.field === undefined ? [] : [[action, { ...fact, body: bodyFor(schema, fact, record) }]];
    });
    return { ...object, ...(Object.fromEntries(actions) as Partial<ObjectFacts>) };
  };
  return {
    ...facts,
    objects: Object.fromEntries(
      Object.entries(facts.objects).map(([name, object]) => [name, completed(object)]),
    ),
  };
}

/** Members that a text may be written to: those that records have under the same name. Others only where the vendor demands them. */
function bodyFor(
  schema: GraphQLSchema,
  { field = "", wrap = "", body }: RecordFact,
  record: GraphQLObjectType | undefined,
): Record<string, Parameter> {
  const [argument = "", ...steps] = wrap.split(".");
  const mutation = schema.getMutationType()?.getFields()[field];
  const declared = mutation?.args.find(({ name }) => name === argument);
  let type: GraphQLNamedType | undefined = declared && getNamedType(declared.type);
  for (const step of steps) {
    const inner: GraphQLInputField | undefined = isInputObjectType(type) ? type.getFields()[step] : undefined;
    type = inner && getNamedType(inner.type);
  }
  const own = isInputObjectType(type) ? Object.values(type.getFields()) : [];
  const members = own.flatMap((member): [string, Parameter][] => {
    const required = isRequiredInputField(member);
    const shown = record?.getFields()[member.name];
    const isPlain =
      shown !== undefined && isText(getNullableType(shown.type)) && isText(getNullableType(member.type));
    return required || isPlain ? [[`${wrap}.${member.name}`, ruleFor(member, required)]] : [];
  });
  return { ...Object.fromEntries(members), ...body };
}

const isText = (type: unknown): boolean => String(type) === "String";

const TYPES: Record<string, Parameter["type"]> = { Int: "integer", Float: "number", Boolean: "boolean" };

function ruleFor({ type }: GraphQLInputField, required: boolean): Parameter {
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
