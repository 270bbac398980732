/** Faults of the GraphQL parts of a description: what becomes part of a document must be names and types. */
import type { ProviderFault } from "../../provider/check-provider.ts";
import { parseGraphqlField } from "../plan-graphql.ts";
import type { Description } from "../rules/description.ts";
import type { GraphqlRules } from "../rules/graphql-rules.ts";
import { toFaults, findPathFault } from "./member-faults.ts";

const NAME = /^[A-Za-z_]\w*$/;
const TYPE = /^\[?[A-Za-z_]\w*!?\]?!?$/;
const PAYLOAD = /^[A-Za-z_]\w*(\{[\w ]+\})?$/;

export function findEndpointFaults({ graphql }: Description, path: string): ProviderFault[] {
  if (!graphql) return [];
  const place = `${path}.graphql`;
  return [
    ...(graphql.path === "/" ? [] : toFaults(`${place}.path`, findPathFault(graphql.path, []))),
    ...checkPattern(`${place}.id`, TYPE, graphql.id, "type"),
    ...checkPattern(`${place}.payload`, PAYLOAD, graphql.payload, "member with its members"),
    ...(graphql.most < 1 || graphql.most > 10_000
      ? toFaults(`${place}.most`, "must be between 1 and 10000")
      : []),
  ];
}

export function findGraphqlFaults(
  { graphql }: Description,
  rules: GraphqlRules | undefined,
  path: string,
): ProviderFault[] {
  if (!rules) return [];
  const mutations = Object.entries({ create: rules.create, update: rules.update, delete: rules.delete });
  return [
    ...(graphql ? [] : toFaults(path, "needs graphql beside the objects")),
    ...(["list", "get", "record"] as const).flatMap((member) =>
      checkPattern(`${path}.${member}`, NAME, rules[member], "name"),
    ),
    ...rules.fields.flatMap((name, index) =>
      parseGraphqlField(name)
        ? []
        : toFaults(
            `${path}.fields[${index}]`,
            "must be a name of GraphQL, or a path of such names in brackets",
          ),
    ),
    ...(rules.fields.length === 0 ? toFaults(`${path}.fields`, "needs a field") : []),
    ...checkPattern(`${path}.since.argument`, NAME, rules.since?.argument, "name"),
    ...checkPattern(`${path}.since.type`, TYPE, rules.since?.type, "type"),
    ...(rules.since?.template !== undefined && !rules.since.template.includes("{since}")
      ? toFaults(`${path}.since.template`, "must contain {since}")
      : []),
    ...mutations.flatMap(([kind, mutation]) => [
      ...checkPattern(`${path}.${kind}.field`, NAME, mutation?.field, "name"),
      ...checkPattern(`${path}.${kind}.input`, TYPE, mutation?.input, "type"),
      ...checkPattern(`${path}.${kind}.argument`, NAME, mutation?.argument, "name"),
      ...(mutation && kind !== "delete" && mutation.input === undefined
        ? toFaults(`${path}.${kind}`, "needs input, which has the fields")
        : []),
    ]),
  ];
}

const checkPattern = (
  path: string,
  pattern: RegExp,
  value: string | undefined,
  what: string,
): ProviderFault[] =>
  value === undefined || pattern.test(value) ? [] : toFaults(path, `must be a ${what} of GraphQL`);
