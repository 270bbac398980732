/** Compares a description of a provider with the vendor's OpenAPI document, and names each difference with its place. */
import { findClosest } from "../../ground/closest.ts";
import type { Description, DeleteRules, WriteRules } from "../declarative/rules/description.ts";
import { fillPath } from "../declarative/fill-path.ts";
import { buildPlans, type ObjectPlan } from "../declarative/object-plan.ts";
import { findPaging } from "./found-paging.ts";
import { findOperation } from "./find-operation.ts";
import type { OpenapiDocument, OpenapiOperation } from "./openapi-operations.ts";
import { warnOfUpdate } from "./warn-of-update.ts";
import { findEntrySchema, listLeaves, findListPaths, resolveSchema, type Schema } from "./openapi-schema.ts";

interface Difference {
  /** Place in the document of a provider, for example `connector.objects.pens.list.path`. */
  path: string;
  message: string;
}

interface Comparison {
  differences: Difference[];
  /** What the vendor says of updates, and the description does not answer. */
  warnings: Difference[];
  /** Requests that were compared, and those for which the document has no operation. */
  compared: number;
  absent: number;
}

type Say = (member: string, message: string) => void;

/** Objects without a name of their own, and GraphQL, are not compared. `fixed`: names of headers that each request has. */
export function compareDescription(
  description: Description,
  document: OpenapiDocument,
  fixed: string[] = [],
): Comparison {
  const comparison: Comparison = { differences: [], warnings: [], compared: 0, absent: 0 };
  for (const plan of buildPlans(description).filter(({ graphql }) => !graphql)) {
    const sayIn =
      (list: Difference[]): Say =>
      (member, message) => {
        const path = locateDescription(description, plan.name, member);
        if (!list.some((one) => one.path === path && one.message === message))
          list.push({
            path,
            message: path.startsWith("connector.defaults") ? `${message} (${plan.name})` : message,
          });
      };
    const say = sayIn(comparison.differences);
    for (const { member, method, path, headers = [], compare } of listRequests(plan)) {
      const found = findOperation(document, method, path);
      if ("operation" in found) {
        comparison.compared += 1;
        compare(found.operation, document, say);
        for (const name of listMissingHeaders(found.operation, [...fixed, ...headers]))
          say(`${member}.headers`, `the vendor demands the header ${name}`);
        if (member === "update") warnOfUpdate(plan, found.operation, document, sayIn(comparison.warnings));
        continue;
      }
      comparison.absent += 1;
      if ("methods" in found)
        say(`${member}.method`, `the vendor has ${found.methods.join(", ")} at ${path}, and not ${method}`);
      else
        say(
          `${member}.path`,
          `the vendor has no ${path}${found.near === undefined ? "" : `; there is ${found.near}`}`,
        );
    }
  }
  return comparison;
}

/** A member stands in the object, or else in the defaults. */
function locateDescription({ objects }: Description, name: string, member: string): string {
  const [first = ""] = member.split(".");
  const own = Object.hasOwn(objects, name) ? objects[name] : undefined;
  return own && Object.hasOwn(own, first)
    ? `connector.objects.${name}.${member}`
    : `connector.defaults.${member}`;
}

/** Headers of the form of bodies, and of credentials. */
const ALWAYS_SENT = ["accept", "content-type", "authorization", "user-agent"];

function listMissingHeaders({ parameters }: OpenapiOperation, sent: string[]): string[] {
  const known = new Set([...ALWAYS_SENT, ...sent.map((name) => name.toLowerCase())]);
  const demanded = parameters.filter(({ place, required }) => place === "header" && required);
  return demanded.map(({ name }) => name).filter((name) => !known.has(name.toLowerCase()));
}

interface ComparedRequest {
  member: string;
  method: string;
  path: string;
  /** Names of its own headers. */
  headers?: string[];
  compare(operation: OpenapiOperation, document: OpenapiDocument, say: Say): void;
}

function listRequests(plan: ObjectPlan): ComparedRequest[] {
  const filled = (path: string) =>
    fillPath(
      path.replace(/\{(id|key|value|parent|field\.[^{}]*|connection\.[^{}]*)\}/g, "~$1~"),
      plan,
    ).replace(/~([^~]*)~/g, "{$1}");
  const requests: ComparedRequest[] = [];
  const { list, get, modes } = plan;
  if (list && modes.includes("read"))
    requests.push({
      member: "list",
      method: list.method ?? "GET",
      path: filled(list.path),
      headers: [
        ...Object.keys(list.headers ?? {}),
        ...[list.pageSize?.to, plan.since?.to].flatMap((to = "") => to.split(/^header\./)[1] ?? []),
      ],
      compare: (...at) => compareList(plan, ...at),
    });
  if (get && modes.includes("read"))
    requests.push({
      member: "get",
      method: get.method ?? "GET",
      path: filled(get.path),
      headers: Object.keys(get.headers ?? {}),
      compare: (operation, document, say) =>
        compareRecord(plan, "get.record", get.record, { operation, document, say }),
    });
  for (const mode of ["create", "update", "upsert", "delete"] as const) {
    const rules: WriteRules | DeleteRules | undefined = plan[mode];
    if (!rules || !modes.includes(mode)) continue;
    requests.push({
      member: mode,
      method: rules.method,
      path: filled(rules.path),
      headers: [
        ...Object.keys(rules.headers ?? {}),
        ...((mode === "create" ? plan.create?.idempotencyKeyTo : undefined)?.split(/^header\./).slice(1) ??
          []),
      ],
      compare: (operation, document, say) => {
        if (mode !== "delete") compareWrite(plan, mode, rules, { operation, document, say });
      },
    });
  }
  return requests;
}

function compareList(
  plan: ObjectPlan,
  operation: OpenapiOperation,
  document: OpenapiDocument,
  say: Say,
): void {
  const { list, paging = {}, since, select } = plan;
  const places: [member: string, target: string | undefined][] = [
    ["list.pageSize.to", list?.pageSize?.to],
    ["paging.cursor.to", paging.cursor?.to],
    ["paging.page.to", paging.page?.to],
    ["paging.offset.to", paging.offset?.to],
    ["paging.keyset.to", paging.keyset?.to],
    ["since.to", since?.path === undefined ? since?.to : undefined],
    ["select.to", select?.to],
    ...Object.keys(list?.query ?? {}).map((name): [string, string] => [
      `list.query.${name}`,
      `query.${name}`,
    ]),
  ];
  const query = operation.parameters.filter(({ place }) => place === "query");
  const sent = new Set<string>();
  for (const [member, target] of places) {
    if (!target?.startsWith("query.")) continue;
    const name = target.slice("query.".length);
    sent.add(name);
    const known = query.find(
      (one) => one.name === name || one.name === `${name}[]` || one.name === name.replace(/\[.*/, ""),
    );
    if (known) compareValue(plan, member, known, say);
    else
      say(
        member,
        `the vendor's list has no parameter ${name}${suggestClosest(
          name,
          query.map((one) => one.name),
        )}`,
      );
  }
  for (const { name, required } of query)
    if (required && !sent.has(name)) say("list.query", `the vendor demands the parameter ${name}`);
  compareListed(plan, operation, document, say);
}

function compareValue(
  { list, since }: ObjectPlan,
  member: string,
  known: OpenapiOperation["parameters"][number],
  say: Say,
): void {
  const most = list?.pageSize?.most;
  if (
    member === "list.pageSize.to" &&
    most !== undefined &&
    known.maximum !== undefined &&
    most > known.maximum
  )
    say("list.pageSize.most", `the vendor gives ${known.maximum} records at most, and not ${most}`);
  const value = member.startsWith("list.query.") ? list?.query?.[known.name] : undefined;
  if (value !== undefined && known.enum && !value.includes("{")) {
    const strange = value.split(",").find((part) => !known.enum?.includes(part));
    if (strange !== undefined)
      say(
        member,
        `the vendor does not know the value ${strange} of ${known.name}; it knows ${known.enum.join(", ")}`,
      );
  }
  const isNumber = known.type === "integer" || known.type === "number";
  const isUnix = (since?.format ?? "").startsWith("unix");
  if (
    member === "since.to" &&
    isNumber !== isUnix &&
    // A text can have digits, where the vendor does not say that it is a date.
    (!isUnix || known.format !== undefined) &&
    known.type !== undefined &&
    known.type !== "object" &&
    since?.template === undefined
  )
    say(
      "since.format",
      `the vendor takes ${known.type} at ${known.name}, and not ${since?.format ?? "rfc3339"}`,
    );
}

const suggestClosest = (name: string, names: string[]): string => {
  const found = findClosest(name, names);
  return found === undefined ? "" : `; there is ${found}`;
};

function compareListed(
  plan: ObjectPlan,
  operation: OpenapiOperation,
  { root }: OpenapiDocument,
  say: Say,
): void {
  const answer = [...operation.success.values()].find((schema) => schema !== undefined);
  if (!plan.paging) comparePaging(findPaging(operation, answer, root), say);
  if (!answer) return;
  const path = plan.records === undefined ? "" : fillPath(plan.records, plan);
  const found = resolveSchema(root, answer, path);
  if (found === "open") return;
  const entries = "schema" in found ? findEntrySchema(root, found.schema) : undefined;
  if (!entries) {
    const lists = findListPaths(root, answer).map((one) => (one === "" ? "the answer itself" : one));
    if ("missing" in found || lists.length > 0)
      say(
        "records",
        `the vendor's answer has no list at ${path === "" ? "its top" : path}${lists.length > 0 ? `; there is one at ${lists.join(", ")}` : ""}`,
      );
    return;
  }
  compareMember(root, answer, "paging.cursor.from", plan.paging?.cursor?.from, say);
  compareMember(root, answer, "paging.nextUrl.from", plan.paging?.nextUrl?.from, say);
  for (const kind of ["cursor", "page", "offset", "keyset"] as const)
    compareMember(root, answer, `paging.${kind}.more`, plan.paging?.[kind]?.more, say);
  compareMember(root, answer, "total", plan.total, say);
  const each =
    plan.each === undefined ? { schema: entries } : resolveSchema(root, entries, fillPath(plan.each, plan));
  if (each === "open") return;
  if ("missing" in each) return say("each", `the vendor's entries have no ${each.missing}`);
  compareMember(root, each.schema, "idPath", plan.idPath, say);
  compareMember(root, each.schema, "changedPath", plan.changedPath, say);
}

/** A list without paging is read as if one answer had all records. */
function comparePaging(found: ReturnType<typeof findPaging>, say: Say): void {
  const place = found?.to ?? found?.from;
  if (found && place !== undefined)
    say(
      "paging",
      `the vendor's list has pages by ${found.kind} (${place}); without \`paging\` only the first is read`,
    );
}

function compareMember(
  root: OpenapiDocument["root"],
  schema: Schema,
  member: string,
  path: string | undefined,
  say: Say,
): void {
  if (path === undefined || path.startsWith("header.")) return;
  const found = resolveSchema(root, schema, path);
  if (found === "open" || "schema" in found) return;
  const last = path.split(".")[found.missing.split(".").length - 1] ?? "";
  say(member, `the vendor's answer has no ${found.missing}${suggestClosest(last, found.known)}`);
}

interface Comparing {
  operation: OpenapiOperation;
  document: OpenapiDocument;
  say: Say;
}

function compareRecord(
  plan: ObjectPlan,
  member: string,
  path: string | undefined,
  { operation, document, say }: Comparing,
): void {
  const answer = [...operation.success.values()].find((schema) => schema !== undefined);
  if (!answer || path === undefined) return;
  compareMember(document.root, answer, member, fillPath(path, plan), say);
}

function compareWrite(
  plan: ObjectPlan,
  mode: "create" | "update" | "upsert",
  { wrap, also, empty, id }: WriteRules,
  comparing: Comparing,
): void {
  const { operation, document, say } = comparing;
  if (!empty && id === undefined) compareRecord(plan, "record", plan.record, comparing);
  if (!operation.body) return say(mode, "the vendor takes no body there");
  const { schema, encodings } = operation.body;
  const isForm = wrap?.form === true;
  if (encodings.length > 0 && !encodings.includes(isForm ? "form" : "json") && !encodings.includes("other"))
    say(
      `${mode}.wrap.form`,
      `the vendor takes ${encodings.join(" or ")}, and not ${isForm ? "a form" : "JSON"}`,
    );
  const inside = wrap?.in ?? (wrap?.jsonApi ? "data.attributes" : undefined);
  const path = inside === undefined ? "" : fillPath(inside, plan);
  const at = resolveSchema(document.root, schema, path);
  if (at === "open") return;
  if ("missing" in at)
    return say(
      `${mode}.wrap`,
      `the vendor's body has no ${at.missing}; it has ${at.known.slice(0, 8).join(", ")}`,
    );
  const leaves = listLeaves(document.root, at.schema, 1);
  if (leaves.size === 0) return;
  for (const name of [...Object.keys(plan.example ?? {}), ...Object.keys(also ?? {})])
    if (!leaves.has(name))
      say(
        mode,
        `the vendor's body has no ${path === "" ? name : `${path}.${name}`}${suggestClosest(name, [...leaves.keys()])}`,
      );
}
