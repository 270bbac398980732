/** Executes GraphQL documents against a vendor's schema with the published implementation: what it refuses, the vendor refuses. */
import {
  buildSchema,
  execute,
  GraphQLError,
  getNullableType,
  isEnumType,
  isListType,
  isNonNullType,
  isScalarType,
  NoDeprecatedCustomRule,
  parse,
  validate,
  type DocumentNode,
  type GraphQLFieldResolver,
  type GraphQLResolveInfo,
  type GraphQLOutputType,
  type GraphQLSchema,
  type GraphQLTypeResolver,
} from "graphql";
import { isJsonObject, type Json, type JsonObject } from "../../../ground/json.ts";
import type { CarriedOut, GraphqlSide } from "../vendor-fields.ts";

/** Position of a field: the keys from the field up to the root. */
type Path = GraphQLResolveInfo["path"];

class MissingRecord extends Error {}

/** Opens the execution of documents. `sdl` is the vendor's schema, or an excerpt. */
export function openGraphqlSide(sdl: string): GraphqlSide {
  const schema = buildSchema(sdl);
  return ({ body }, callField) => {
    const { query, variables } = body !== undefined && isJsonObject(body) ? body : {};
    if (typeof query !== "string") return refuseQuery("the body has no document at `query`");
    const document = parseQuery(query);
    if (document instanceof GraphQLError) return refuseQuery(document.message);
    const [fault] = validate(schema, document);
    if (fault) return refuseQuery(fault.message);
    const deprecated = validate(schema, document, [NoDeprecatedCustomRule]).map(({ message }) => message);
    const result = execute({
      schema,
      document,
      variableValues: variables !== undefined && isJsonObject(variables) ? variables : {},
      fieldResolver: createResolver(schema, callField),
      typeResolver: resolveType,
    });
    if (result instanceof Promise) throw new Error("a field was answered too late");
    const { data, errors: [error] = [] } = result;
    if (!error) return { data: JSON.parse(JSON.stringify(data ?? null)) as Json, deprecated };
    return {
      fault: error.message,
      deprecated,
      ...(error.path === undefined && { isInvalid: true }),
      ...(error.originalError instanceof MissingRecord && { isMissing: true }),
    };
  };
}

const refuseQuery = (fault: string): CarriedOut => ({ fault, isInvalid: true, deprecated: [] });

function parseQuery(query: string): DocumentNode | GraphQLError {
  try {
    return parse(query);
  } catch (error) {
    if (error instanceof GraphQLError) return error;
    throw error;
  }
}

/** A value of an interface is of the type that the facts name, else of the last one that it can be. */
const resolveType: GraphQLTypeResolver<unknown, unknown> = (value, _, { schema }, type) => {
  const named = (value as JsonObject)["__typename"];
  return typeof named === "string" ? named : schema.getPossibleTypes(type).at(-1)?.name;
};

type CallField = Parameters<GraphqlSide>[1];

/**
 * Builds the resolver of a field. Facts determine the fields that they mention; other fields have their stored value, or one
 * made up for their type.
 */
const createResolver =
  (schema: GraphQLSchema, callField: CallField): GraphQLFieldResolver<unknown, unknown> =>
  (source, args, _, { fieldName, path, returnType, parentType }) => {
    const own = (source ?? {}) as JsonObject;
    const answer = callField(listFieldPath(path), JSON.parse(JSON.stringify(args)) as JsonObject, own);
    if (answer === undefined) {
      if (path.prev === undefined) throw new Error(`no fact is about ${fieldName}`);
      return own[fieldName] ?? buildUsualValue(returnType);
    }
    const isList = isListType(getNullableType(returnType));
    if (typeof answer === "string") throw new Error(answer);
    if (!("missing" in answer)) return isList && !Array.isArray(answer.body) ? [answer.body] : answer.body;
    if (parentType !== schema.getQueryType()) throw new MissingRecord(answer.missing);
    if (isList) return [];
    if (isNonNullType(returnType)) throw new MissingRecord(answer.missing);
    return null;
  };

/** Returns the names of the fields, from the root on. */
function listFieldPath(path: Path): string {
  const names: string[] = [];
  for (let step: Path | undefined = path; step; step = step.prev)
    if (typeof step.key === "string") names.unshift(step.key);
  return names.join(".");
}

/** Returns null if the vendor may, otherwise a value of the type. */
function buildUsualValue(type: GraphQLOutputType): unknown {
  if (!isNonNullType(type)) return null;
  const inner = type.ofType;
  if (isListType(inner)) return [];
  if (isEnumType(inner)) return inner.getValues()[0]?.value;
  if (!isScalarType(inner)) return {};
  return { Int: 0, Float: 0, Boolean: false }[inner.name] ?? "x";
}
