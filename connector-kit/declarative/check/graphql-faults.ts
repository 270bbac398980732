/** Faults of the GraphQL parts of a description: what becomes part of a document must be names and types. */
import type { ProviderFault } from "../../provider/check-provider.ts";
import type { Description } from "../rules/description.ts";
import type { GraphqlRules } from "../rules/graphql-rules.ts";
import { fault, pathFault } from "./member-faults.ts";

const NAME = /^[A-Za-z_]\w*$/;
const TYPE = /^\[?[A-Za-z_]\w*!?\]?!?$/;
const PAYLOAD = /^[A-Za-z_]\w*(\{[\w ]+\})?$/;

export function endpointFaults({ graphql }: Description, path: string): ProviderFault[] {
  if (!graphql) return [];
  const place = `${path}.graphql`;
  return [
    ...(graphql.path === "/" ? [] : fault(`${place}.path`, pathFault(graphql.path, []))),
    ...wrong(`${place}.id`, TYPE, graphql.id, "type"),
    ...wrong(`${place}.payload`, PAYLOAD, graphql.payload, "member with its members"),
    ...(graphql.most < 1 || graphql.most > 10_000
      ? fault(`${place}.most`, "must be between 1 and 10000")
      : []),
  ];
}

export function graphqlFaults(
  { graphql }: Description,
  rules: GraphqlRules | undefined,
  path: string,
): ProviderFault[] {
  if (!rules) return [];
  const mutations = Object.entries({ create: rules.create, update: rules.update, delete: rules.delete });
  return [
    ...(graphql ? [] : fault(path, "needs graphql beside the objects")),
    ...(["list", "get", "record"] as const).flatMap((member) =>
      wrong(`${path}.${member}`, NAME, rules[member], "name"),
    ),
    ...rules.fields.flatMap((name, index) => wrong(`${path}.fields[${index}]`, NAME, name, "name")),
    ...(rules.fields.length === 0 ? fault(`${path}.fields`, "needs a field") : []),
    ...wrong(`${path}.since.argument`, NAME, rules.since?.argument, "name"),
    ...wrong(`${path}.since.type`, TYPE, rules.since?.type, "type"),
    ...(rules.since?.template !== undefined && !rules.since.template.includes("{since}")
      ? fault(`${path}.since.template`, "must contain {since}")
      : []),
    ...mutations.flatMap(([kind, mutation]) => [
      ...wrong(`${path}.${kind}.field`, NAME, mutation?.field, "name"),
      ...wrong(`${path}.${kind}.input`, TYPE, mutation?.input, "type"),
      ...wrong(`${path}.${kind}.argument`, NAME, mutation?.argument, "name"),
      ...(mutation && kind !== "delete" && mutation.input === undefined
        ? fault(`${path}.${kind}`, "needs input, which has the fields")
        : []),
    ]),
  ];
}

const wrong = (path: string, pattern: RegExp, value: string | undefined, what: string): ProviderFault[] =>
  value === undefined || pattern.test(value) ? [] : fault(path, `must be a ${what} of GraphQL`);
