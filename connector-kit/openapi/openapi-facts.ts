/** Extracts facts from the operations of a vendor's OpenAPI document, and tells what drifted. */
import type { Facts, ListFact, ObjectFacts, Parameter, RecordFact } from "../facts/facts.ts";
import { findOperation } from "./find-operation.ts";
import { findId, findPaging } from "./found-paging.ts";
import type { OpenapiDocument, OpenapiOperation, OpenapiParameter } from "./openapi-operations.ts";
import { findEntrySchema, listLeaves, findListPaths, resolveSchema } from "./openapi-schema.ts";

const FACT_ACTIONS = ["list", "changes", "get", "create", "update", "upsert", "delete"] as const;
type FactAction = (typeof FACT_ACTIONS)[number];

/** The part of a fact that a document contains; the rest is entered by hand. */
interface Extracted {
  query: Record<string, Parameter>;
  body?: Record<string, Parameter>;
  encoding?: "form";
  success: number[];
}

/** Returns what the document says about an operation. */
function extractFacts({ root }: OpenapiDocument, operation: OpenapiOperation): Extracted {
  const query = operation.parameters.filter(({ place }) => place === "query");
  const { body } = operation;
  const leaves = body && listLeaves(root, body.schema);
  return {
    query: Object.fromEntries(query.map((one) => [one.name, buildRule(one)])),
    ...(leaves &&
      leaves.size > 0 && {
        body: Object.fromEntries(
          [...leaves].map(([name, { schema, required }]) => [
            name,
            buildRule({
              required,
              ...(typeof schema["type"] === "string" && { type: schema["type"] }),
              ...(Array.isArray(schema["enum"]) && { enum: schema["enum"].map(String) }),
            }),
          ]),
        ),
      }),
    ...(body &&
      body.encodings.includes("form") &&
      !body.encodings.includes("json") && { encoding: "form" as const }),
    success: [...operation.success.keys()].toSorted((a, b) => a - b),
  };
}

const TYPES = ["string", "integer", "number", "boolean", "array", "object"] as const;

function buildRule({
  required,
  type,
  enum: values,
  default: usual,
  minimum,
  maximum,
}: Omit<OpenapiParameter, "name" | "place">): Parameter {
  const known = TYPES.find((one) => one === type);
  const isPlain = typeof usual === "string" || typeof usual === "number" || typeof usual === "boolean";
  return {
    ...(required && { required }),
    ...(known && { type: known }),
    ...(values && { enum: values }),
    // Several values in one text are the usual form of lists in a query.
    ...(values && type === "array" && { separator: "," }),
    ...(isPlain && { default: usual }),
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
  };
}

interface Drift {
  /** `customers.list.query.limit` */
  place: string;
  message: string;
}

/** Whether a fact comes from the document. */
type IsFrom = (source: string) => boolean;

/** Returns what the document says otherwise than the facts that come from it. */
export function describeDrift(facts: Facts, document: OpenapiDocument, isFrom: IsFrom): Drift[] {
  const drift: Drift[] = [];
  for (const { place, fact } of listFactsFrom(facts, isFrom)) {
    const found = findOperation(document, fact.method, fact.path);
    if (!("operation" in found)) {
      if (!("absent" in fact && fact.absent))
        drift.push({
          place,
          message:
            "methods" in found
              ? `${fact.path} has ${found.methods.join(", ")}, and no ${fact.method}`
              : `there is no ${fact.path}`,
        });
      continue;
    }
    const now = extractFacts(document, found.operation);
    if ("absent" in fact && fact.absent)
      drift.push({ place, message: "is there now, and the fact says that it is absent" });
    drift.push(...findParameterDrift(`${place}.query`, fact.query, now.query, fact.openQuery === true));
    if (fact.body) drift.push(...findParameterDrift(`${place}.body`, fact.body, now.body ?? {}, true));
    const known = fact.success.filter((status) => now.success.includes(status));
    if (now.success.length > 0 && known.length === 0)
      drift.push({
        place: `${place}.success`,
        message: `${fact.success.join(", ")} before, ${now.success.join(", ")} now`,
      });
    if ("records" in fact) drift.push(...findRecordsDrift(place, fact, document, found.operation));
  }
  return drift;
}

function* listFactsFrom(
  { objects }: Facts,
  isFrom: IsFrom,
): Generator<{ place: string; fact: ListFact | RecordFact }> {
  for (const [name, object] of Object.entries(objects))
    for (const action of FACT_ACTIONS) {
      const fact = object[action];
      if (fact && isFrom(fact.source)) yield { place: `${name}.${action}`, fact };
    }
}

/** Names that were added by hand, such as parts of an object, are no drift where the document is silent (`open`). */
function findParameterDrift(
  place: string,
  before: Record<string, Parameter> = {},
  now: Record<string, Parameter>,
  open: boolean,
): Drift[] {
  const drift: Drift[] = [];
  for (const [name, rules] of Object.entries(before)) {
    const other = now[name] ?? now[`${name}[]`];
    if (!other) {
      if (!open) drift.push({ place: `${place}.${name}`, message: "is gone" });
      continue;
    }
    for (const member of ["required", "enum", "maximum", "default"] as const)
      if (
        JSON.stringify(rules[member]) !== JSON.stringify(other[member]) &&
        (rules[member] !== undefined || member === "required")
      )
        drift.push({
          place: `${place}.${name}.${member}`,
          message: `${JSON.stringify(rules[member]) ?? "absent"} before, ${JSON.stringify(other[member]) ?? "absent"} now`,
        });
  }
  for (const [name, { required }] of Object.entries(now))
    if (!Object.hasOwn(before, name) && (required || !open))
      drift.push({ place: `${place}.${name}`, message: required ? "is new, and required" : "is new" });
  return drift;
}

function findRecordsDrift(
  place: string,
  { records }: ListFact,
  { root }: OpenapiDocument,
  { success }: OpenapiOperation,
): Drift[] {
  const answer = [...success.values()].find((schema) => schema !== undefined);
  const found = answer && resolveSchema(root, answer, records);
  if (
    !answer ||
    found === undefined ||
    found === "open" ||
    ("schema" in found && findEntrySchema(root, found.schema))
  )
    return [];
  const lists = findListPaths(root, answer);
  return lists.length === 0
    ? []
    : [
        {
          place: `${place}.records`,
          message: `no list at ${records === "" ? "the top" : records}; there is one at ${lists.join(", ")}`,
        },
      ];
}

/** Returns the facts with what the document says now, in the members that come from it. Names entered by hand stay. */
export function updateFacts(facts: Facts, document: OpenapiDocument, isFrom: IsFrom): Facts {
  const objects = structuredClone(facts.objects);
  for (const object of Object.values(objects))
    for (const action of FACT_ACTIONS) {
      const fact: ListFact | RecordFact | undefined = object[action];
      if (!fact || !isFrom(fact.source)) continue;
      const found = findOperation(document, fact.method, fact.path);
      if (!("operation" in found)) continue;
      const now = extractFacts(document, found.operation);
      fact.query = mergeParameters(fact.query, now.query);
      if (fact.body) fact.body = mergeParameters(fact.body, now.body ?? {});
      if (now.success.length > 0) fact.success = now.success;
    }
  return { ...facts, objects };
}

/** Merges parameters. What the document does not contain, such as a pattern, is kept. */
const mergeParameters = (
  before: Record<string, Parameter> = {},
  now: Record<string, Parameter>,
): Record<string, Parameter> =>
  Object.fromEntries(
    [...Object.entries(before), ...Object.entries(now).filter(([name]) => !Object.hasOwn(before, name))].map(
      ([name, rules]) => {
        const other = now[name];
        if (!other) return [name, rules];
        const { required: _, ...kept } = rules;
        return [name, { ...kept, ...other }];
      },
    ),
  );

/** A request that facts may be proposed for. */
export interface WantedRequest {
  objectName: string;
  action: FactAction;
  method: string;
  path: string;
}

/** Returns facts for requests that the document has. What it cannot tell, such as paging, is named in `unverified`. */
export function proposeFacts(
  wanted: WantedRequest[],
  document: OpenapiDocument,
  source: string,
): Record<string, ObjectFacts> {
  const objects: Record<string, ObjectFacts> = {};
  for (const { objectName, action, method, path } of wanted) {
    const found = findOperation(document, method, path);
    if (!("operation" in found)) continue;
    const { operation } = found;
    const object = (objects[objectName] ??= { id: { path: "id", type: "string" }, unverified: [] });
    const request = {
      source: `${source}#${operation.method} ${operation.bare}`,
      method: operation.method as ListFact["method"],
      path,
      ...extractFacts(document, operation),
    };
    if (action === "list" || action === "changes")
      Object.assign(object, {
        [action]: proposeList({ ...request, objectName }, document, operation, object),
      });
    else object[action] = { ...request, ...(action !== "delete" && { record: "" }) };
  }
  return objects;
}

function proposeList(
  { objectName, ...request }: Omit<ListFact, "records" | "paging"> & { objectName: string },
  { root }: OpenapiDocument,
  operation: OpenapiOperation,
  object: ObjectFacts,
): ListFact {
  const answer = [...operation.success.values()].find((schema) => schema !== undefined);
  const [records = ""] = answer ? findListPaths(root, answer) : [];
  const at = answer && resolveSchema(root, answer, records);
  const entry =
    at !== undefined && at !== "open" && "schema" in at ? findEntrySchema(root, at.schema) : undefined;
  const id = entry && findId(entry, root, objectName);
  if (id) object.id = id;
  else
    object.unverified?.push(
      "What the id of a record is: the document's entries have no member by which it is known.",
    );
  const paging = findPaging(operation, answer, root);
  object.unverified?.push(
    paging
      ? `That pages go by ${paging.kind}: it follows from names in the document. Sort, filters and what is left out by default: enter them by hand.`
      : "How a page follows a page, sort, filters and what is left out by default: enter them by hand.",
  );
  return { ...request, records, paging: paging ?? { kind: "none" } };
}
