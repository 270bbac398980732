/** Turns the GraphQL rules of an object into ordinary ones, and makes the documents that their requests send. */
import { parseFieldPath } from "../../ground/field-path.ts";
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";
import { ProviderError } from "../calls/provider-error.ts";
import type { GraphqlEndpointRules, GraphqlRules, MutationRules } from "./rules/graphql-rules.ts";
import type { Mode, ObjectPlan } from "./plan.ts";

/** Returns the rules that follow from those of the dialect. */
export function planGraphql(
  endpoint: GraphqlEndpointRules,
  rules: GraphqlRules,
  { since }: Pick<ObjectPlan, "since">,
): Omit<Partial<ObjectPlan>, "modes"> {
  const { path, most } = endpoint;
  const { list, get, record = get } = rules;
  const write = (mutation: MutationRules | undefined) =>
    mutation && {
      method: "POST" as const,
      path,
      ...(mutation.input !== undefined && { wrap: { in: `variables.${buildArgument(mutation)}` } }),
    };
  const withId = (mutation: MutationRules | undefined) => {
    const request = write(mutation);
    const within = mutation?.idInInput ? `${buildArgument(mutation)}.` : "";
    return request && { ...request, idTo: `body.variables.${within}id` };
  };
  const [create, update, remove] = [write(rules.create), withId(rules.update), withId(rules.delete)];
  const bound = rules.since && [rules.since.argument, rules.since.path].filter(Boolean).join(".");
  return {
    list: { method: "POST", path, pageSize: { to: "body.variables.first", most } },
    records: `data.${list}.nodes`,
    paging: {
      cursor: {
        from: `data.${list}.pageInfo.endCursor`,
        to: "body.variables.after",
        more: `data.${list}.pageInfo.hasNextPage`,
      },
    },
    since: {
      ...since,
      ...(rules.since && { to: `body.variables.${bound}` }),
      ...(rules.since?.template !== undefined && { template: rules.since.template }),
    },
    get: { path, record: `data.${get}` },
    ...(create && { create }),
    ...(update && { update }),
    ...(remove && { delete: remove }),
    endpoint,
    recordAt: {
      create: `data.${rules.create?.field}.${record}`,
      update: `data.${rules.update?.field}.${record}`,
    },
  };
}

const buildArgument = ({ argument = "input" }: MutationRules): string => argument;

/** Returns the body with the document of the request; a body without one where the object has no GraphQL. */
export function withDocument(
  plan: ObjectPlan,
  mode: Mode | "get",
  body: Json,
  fields: readonly string[] = [],
): Json {
  const { graphql, endpoint } = plan;
  if (!graphql || !endpoint || !isJsonObject(body)) return body;
  return { query: buildDocument(plan, graphql, endpoint, mode, fields), ...body };
}

function buildDocument(
  plan: ObjectPlan,
  rules: GraphqlRules,
  endpoint: GraphqlEndpointRules,
  mode: Mode | "get",
  fields: readonly string[],
): string {
  const selection = buildSelection(plan, rules, fields);
  if (mode === "get") return `query($id:${endpoint.id}){${rules.get}(id:$id){${selection}}}`;
  if (mode === "read") {
    const { since } = rules;
    const [declared, passed] = since
      ? [`,$${since.argument}:${since.type}`, `,${since.argument}:$${since.argument}`]
      : ["", ""];
    return (
      `query($first:Int!,$after:String${declared}){${rules.list}(first:$first,after:$after${passed}${formatConstants(rules)})` +
      `{nodes{${selection}} pageInfo{hasNextPage endCursor}}}`
    );
  }
  const mutation = mode === "upsert" ? undefined : rules[mode];
  if (!mutation) throw buildInvalid(`${plan.name} has no ${mode}`);
  const { field, input, idInInput = false } = mutation;
  const names: [name: string, type: string][] = [];
  if (mode !== "create" && !idInInput) names.push(["id", endpoint.id]);
  if (input !== undefined) names.push([buildArgument(mutation), input]);
  const declared = names.map(([name, type]) => `$${name}:${type}`).join(",");
  const passed = names.map(([name]) => `${name}:$${name}`).join(",");
  const record = mode === "delete" ? "" : ` ${rules.record ?? rules.get}{${selection}}`;
  return `mutation(${declared}){${field}(${passed}){${endpoint.payload}${record}}}`;
}

const formatConstants = ({ arguments: constant = {} }: GraphqlRules): string =>
  Object.entries(constant)
    .map(([name, value]) => `,${name}:${JSON.stringify(value)}`)
    .join("");

const NAME = /^[A-Za-z_]\w{0,100}$/;

/**
 * Returns the names that lead to the field, one, or several for a path in brackets: `$['team']['id']`. They become part of
 * the document, so anything but names of GraphQL gives undefined.
 */
export function parseGraphqlField(field: string): string[] | undefined {
  const path = parseFieldPath(field);
  return "steps" in path && path.steps.every((step) => NAME.test(step)) ? path.steps : undefined;
}

function buildSelection(plan: ObjectPlan, rules: GraphqlRules, fields: readonly string[]): string {
  const wanted = fields.length > 0 ? fields : rules.fields;
  let tree: JsonObject = {};
  for (const field of [
    plan.idPath,
    plan.changedPath ?? plan.idPath,
    plan.deleted?.at ?? plan.idPath,
    ...wanted,
  ]) {
    const names = parseGraphqlField(field);
    if (!names) throw buildInvalid(`${JSON.stringify(field)} is not a name of a field`);
    tree = addPath(tree, names);
  }
  return buildText(tree);
}

function addPath(tree: JsonObject, [first = "", ...rest]: string[]): JsonObject {
  const inner = tree[first];
  return {
    ...tree,
    [first]:
      rest.length === 0
        ? (inner ?? {})
        : addPath(inner !== undefined && isJsonObject(inner) ? inner : {}, rest),
  };
}

const buildText = (tree: JsonObject): string =>
  Object.entries(tree)
    .map(([name, inner]) =>
      isJsonObject(inner) && Object.keys(inner).length > 0 ? `${name}{${buildText(inner)}}` : name,
    )
    .join(" ");

const buildInvalid = (message: string): ProviderError => new ProviderError({ kind: "invalid", message });
