/** Answers GraphQL documents by a description: only the selection is returned, and refusals have status 200. */
import { at, type ObjectPlan } from "../../connector-kit/declarative/object-plan.ts";
import type { GraphqlRules, MutationRules } from "../../connector-kit/declarative/rules/graphql-rules.ts";
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";
import { REFUSED, type SimulatedAnswer, type StoredRecord } from "./simulated-exchange.ts";

interface GraphqlTarget {
  records(object: string): StoredRecord[];
  put(object: string, fields: JsonObject, id?: string): string;
  remove(object: string, id: string): boolean;
  show(plan: ObjectPlan, record: StoredRecord, selected: string[]): JsonObject;
  refusal(message: string): SimulatedAnswer;
  /** Provider's words for a record that does not exist. */
  missing: string;
}

const MAX_PER_PAGE = 3;

interface Document {
  field: string;
  /** Types of the variables, by name. */
  declared: Record<string, string>;
  /** Text between the braces of the field. */
  selection: string;
  variables: JsonObject;
}

/** Parses a document; undefined for a body of another form. */
function parseDocument(text: string): Document | undefined {
  const body: Json = JSON.parse(text);
  const query = isJsonObject(body) ? body["query"] : undefined;
  const variables = isJsonObject(body) ? body["variables"] : undefined;
  if (typeof query !== "string" || variables === undefined || !isJsonObject(variables)) return undefined;
  const parts = /^(?:query|mutation)\(([^)]*)\)\{(\w+)\(([^)]*)\)\{(.*)\}\}$/.exec(query);
  if (!parts) return undefined;
  const [, types = "", field = "", passed = "", selection = ""] = parts;
  const declared = Object.fromEntries(types.split(",").map((one) => one.replace("$", "").split(":")));
  const isWhole = passed.split(",").every((one) => /^(\w+):(?:\$\1|true|false|-?\d+|"[^"]*")$/.test(one));
  const isUsed = Object.keys(variables).every((name) => Object.hasOwn(declared, name));
  return isWhole && isUsed ? { field, declared, selection, variables } : undefined;
}

export function answerGraphql(plans: ObjectPlan[], body: string, target: GraphqlTarget): SimulatedAnswer {
  const document = parseDocument(body);
  if (!document) return target.refusal("the document cannot be read");
  for (const plan of plans) {
    const { graphql } = plan;
    if (!graphql) continue;
    const { field } = document;
    if (field === graphql.list) return listed(plan, graphql, document, target);
    if (field === graphql.get) return single(plan, document, target);
    for (const kind of ["create", "update", "delete"] as const)
      if (field === graphql[kind]?.field) return written(plan, graphql[kind], kind, document, target);
  }
  return target.refusal(`there is no field ${document.field}`);
}

const data = (field: string, value: Json): SimulatedAnswer => ({
  status: 200,
  headers: {},
  body: { data: { [field]: value } },
});

/** Returns the names at the top level of `<member>{…}`, or of the whole selection. */
function listSelected(selection: string, member: string): string[] {
  const start = member === "" ? 0 : selection.indexOf(`${member}{`) + member.length + 1;
  let depth = 0;
  let names = "";
  for (const letter of selection.slice(start)) {
    if (letter === "}" && depth === 0) break;
    if (letter === "{") depth += 1;
    else if (letter === "}") depth -= 1;
    else if (depth === 0) names += letter;
  }
  return names.split(" ");
}

function listed(
  plan: ObjectPlan,
  { since, list }: GraphqlRules,
  { variables, declared, selection }: Document,
  target: GraphqlTarget,
): SimulatedAnswer {
  if (since && declared[since.argument] !== since.type) return target.refusal("a variable has a wrong type");
  const bound = since && at(variables[since.argument], since.path);
  const [before = "", after = ""] = since?.template?.split("{since}") ?? [];
  const from =
    typeof bound === "string" ? Date.parse(bound.slice(before.length, bound.length - after.length)) : 0;
  const all = target.records(plan.name).filter(({ changedAt }) => changedAt >= from);
  const start = typeof variables["after"] === "string" ? Number(variables["after"].slice(1)) : 0;
  const page = all.slice(start, start + Math.min(Number(variables["first"]), MAX_PER_PAGE));
  const names = listSelected(selection, "nodes");
  return data(list, {
    nodes: page.map((record) => target.show(plan, record, names)),
    pageInfo: { hasNextPage: start + page.length < all.length, endCursor: `c${start + page.length}` },
  });
}

function single(
  plan: ObjectPlan,
  { field, variables, selection }: Document,
  target: GraphqlTarget,
): SimulatedAnswer {
  const record = target.records(plan.name).find(({ id }) => id === variables["id"]);
  return data(field, record ? target.show(plan, record, listSelected(selection, "")) : null);
}

function written(
  plan: ObjectPlan,
  { field, input, argument = "input", idInInput }: MutationRules,
  kind: "create" | "update" | "delete",
  { variables, declared, selection }: Document,
  target: GraphqlTarget,
): SimulatedAnswer {
  if (input !== undefined && declared[argument] !== input)
    return target.refusal(`$${argument} is no ${input}`);
  const given = variables[argument];
  const { id: idIn, ...fields } = given !== undefined && isJsonObject(given) ? given : {};
  const id = idInInput ? idIn : variables["id"];
  const payload: JsonObject = selection.startsWith("success") ? { success: true } : { userErrors: [] };
  if (kind !== "create" && !target.records(plan.name).some((record) => record.id === id))
    return target.refusal(target.missing);
  if (kind === "delete") {
    target.remove(plan.name, String(id));
    return data(field, payload);
  }
  if (Object.values(fields).includes(REFUSED))
    return data(field, { userErrors: [{ field: null, message: "a value is refused" }] });
  const putId = target.put(plan.name, fields, kind === "create" ? undefined : String(id));
  const record = target.records(plan.name).find((one) => one.id === putId);
  const member = plan.graphql?.record ?? plan.graphql?.get ?? "";
  return data(field, {
    ...payload,
    [member]: record ? target.show(plan, record, listSelected(selection, member)) : null,
  });
}
