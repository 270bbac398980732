/** Finds what a simulated vendor refuses in a request: unknown names, missing ones, values that it does not allow. */
import { isJsonObject, type Json } from "../../ground/json.ts";
import { getValueAt } from "../../connector-kit/calls/get-text-at.ts";
import type { ListFact, Parameter, RecordFact } from "../../connector-kit/facts/facts.ts";
import { readText, readValue, type VendorRequest } from "./vendor-request.ts";

type AnyFact = ListFact | RecordFact;
const isList = (fact: AnyFact): fact is ListFact => "paging" in fact;

/** Lists a sentence for everything that the vendor refuses. `ownNames` are names in the vendor's own addresses. */
export function listRequestFaults(
  fact: AnyFact,
  request: VendorRequest,
  ownNames: string[] = [],
  connection: Record<string, string> = {},
): string[] {
  return [
    ...listConnectionFaults(fact, request, connection),
    ...listQueryFaults(fact, request, ownNames),
    ...listHeaderFaults(fact, request),
    ...(fact.method === "GET" ? [] : listBodyFaults(fact, request)),
  ];
}

/** Checks the values that must be those of the connection. */
function listConnectionFaults(
  fact: AnyFact,
  request: VendorRequest,
  known: Record<string, string>,
): string[] {
  const places = [
    ...Object.entries(fact.query ?? {}).map(([name, rules]) => [`query.${name}`, rules] as const),
    ...Object.entries(fact.body ?? {}).map(([name, rules]) => [`body.${name}`, rules] as const),
  ];
  return places.flatMap(([target, { connection }]) => {
    const value = connection === undefined ? undefined : readText(request, target);
    return connection === undefined || value === undefined || value === known[connection]
      ? []
      : [`${target}: ${JSON.stringify(value)} is not the ${connection} of the connection`];
  });
}

function listQueryFaults(fact: AnyFact, { query, ...request }: VendorRequest, ownNames: string[]): string[] {
  const known = fact.query ?? {};
  const others = new Set([
    ...ownNames,
    ...listNamedElsewhere(fact),
    ...readPathQuery(fact.path).map(([name]) => name),
  ]);
  const faults: string[] = [];
  for (const [name, value] of query) {
    const rules = known[name] ?? known[name.replace(/\[[^\]]*\]/g, "")] ?? known[`${name}[]`];
    if (rules) faults.push(...listValueFaults(`query.${name}`, rules, value, isCut(fact, `query.${name}`)));
    else if (!others.has(name) && !fact.openQuery) faults.push(`query.${name}: no such parameter`);
  }
  for (const [name, { required }] of Object.entries(known))
    if (required && readValue({ query, ...request }, `query.${name}`) === undefined)
      faults.push(`query.${name}: missing`);
  return faults;
}

/** Lists the query parameters that other facts mention. */
function listNamedElsewhere(fact: AnyFact): string[] {
  const targets = isList(fact)
    ? [
        fact.paging.to,
        fact.paging.size,
        fact.since?.to,
        fact.fields?.to,
        ...Object.keys(fact.sort?.by ?? {}).flatMap((key) =>
          key.split("&").map((part) => part.split("=")[0]),
        ),
        ...(fact.hidden ?? []).flatMap(({ shownBy }) => Object.keys(shownBy ?? {})),
        ...(fact.foreign ?? []).flatMap(({ leftOutBy }) => Object.keys(leftOutBy)),
        ...Object.keys(fact.deleted?.shownBy ?? {}),
      ]
    : [fact.idempotencyKey, fact.idTo];
  return targets.flatMap((target) => (target?.startsWith("query.") ? [target.slice("query.".length)] : []));
}

/** Returns whether a larger size is reduced, rather than refused. */
const isCut = (fact: AnyFact, target: string): boolean =>
  isList(fact) && fact.paging.size === target && fact.paging.oversize === "cut";

/** Returns the parameters in the path of the facts themselves. */
export const readPathQuery = (path: string): [string, string][] => [
  ...new URLSearchParams(path.split("?")[1] ?? ""),
];

function listHeaderFaults({ headers = {} }: AnyFact, request: VendorRequest): string[] {
  return Object.entries(headers).flatMap(([name, rules]) => {
    const value = request.headers[name.toLowerCase()];
    if (value === undefined) return rules.required ? [`header.${name}: missing`] : [];
    return listValueFaults(`header.${name}`, rules, value, false);
  });
}

function listBodyFaults(fact: AnyFact, request: VendorRequest): string[] {
  const needed = Object.entries(fact.body ?? {});
  const wrap = isList(fact) ? undefined : fact.wrap;
  if (request.encoding === "none")
    return wrap !== undefined || needed.some(([, { required }]) => required) ? ["the body is missing"] : [];
  const wanted = fact.encoding ?? "json";
  if (request.encoding !== wanted) return [`the body is not ${wanted === "json" ? "JSON" : "a form"}`];
  if (request.body === undefined) return ["the body cannot be read"];
  const faults: string[] = [];
  const wrapped = wrap === undefined || wrap === "" ? request.body : getValueAt(request.body, wrap);
  if (!isJsonObject(wrapped) && !Array.isArray(wrapped)) faults.push(`body.${wrap ?? ""}: not an object`);
  for (const [path, rules] of needed) {
    const value = readValue(request, `body.${path}`);
    if (value === undefined) {
      if (rules.required && isNeededHere(request.body, path)) faults.push(`body.${path}: missing`);
    } else faults.push(...listBodyValueFaults(path, rules, value, fact));
  }
  if (fact.closedBody)
    faults.push(
      ...listUnknownMembers(
        request.body,
        needed.map(([path]) => path),
        wrap,
      ),
    );
  return faults;
}

/** Lists a sentence for every GraphQL argument whose value the facts do not allow; the schema checks its type. */
export const listArgumentFaults = (fact: AnyFact, request: VendorRequest): string[] =>
  Object.entries(fact.body ?? {}).flatMap(([path, rules]) => {
    const value = readText(request, `argument.${path}`);
    return value === undefined || rules.enum === undefined
      ? []
      : listValueFaults(`argument.${path}`, { enum: rules.enum }, value, false);
  });

/** Returns whether a required member is needed: below an optional member, only if that is present. */
function isNeededHere(body: Json, path: string): boolean {
  const above = path.split(".").slice(0, -1).join(".");
  return above === "" || getValueAt(body, above) !== undefined || !above.includes(".");
}

function listBodyValueFaults(path: string, rules: Parameter, value: Json, fact: AnyFact): string[] {
  if (value === null) return rules.required ? [`body.${path}: null`] : [];
  const { type } = rules;
  if (fact.encoding !== "form" && type !== undefined && !TYPES[type](value))
    return [`body.${path}: ${JSON.stringify(value).slice(0, 60)} is not of the type ${type}`];
  if (Array.isArray(value) && rules.enum)
    return value.flatMap((one) => listValueFaults(`body.${path}`, rules, String(one), false));
  return typeof value === "object"
    ? []
    : listValueFaults(`body.${path}`, rules, String(value), isCut(fact, `body.${path}`));
}

const TYPES: Record<NonNullable<Parameter["type"]>, (value: Json) => boolean> = {
  string: (value) => typeof value === "string",
  integer: (value) => typeof value === "number" && Number.isInteger(value),
  number: (value) => typeof value === "number",
  boolean: (value) => typeof value === "boolean",
  array: (value) => Array.isArray(value),
  object: (value) => isJsonObject(value),
};

/** Lists the members that no fact names; the wrapper's members are the vendor's. */
function listUnknownMembers(body: Json, paths: string[], wrap: string | undefined): string[] {
  if (!isJsonObject(body)) return [];
  const allowed = [...paths, ...(wrap === undefined ? [] : [wrap])];
  const isKnown = (name: string): boolean =>
    allowed.some((path) => path === name || path.startsWith(`${name}.`));
  const outer = Object.keys(body).filter((name) => !isKnown(name));
  const inner = wrap === undefined || wrap === "" ? undefined : getValueAt(body, wrap);
  const below = isJsonObject(inner)
    ? Object.keys(inner).flatMap((name) =>
        paths.some((path) => path.startsWith(`${wrap}.`)) && !isKnown(`${wrap}.${name}`)
          ? [`${wrap}.${name}`]
          : [],
      )
    : [];
  return [...outer, ...below].map((name) => `body.${name}: no such member`);
}

function listValueFaults(where: string, rules: Parameter, value: string, isLargestCut: boolean): string[] {
  const said = `${where}: ${JSON.stringify(value.slice(0, 120))}`;
  const { type, pattern, separator, minimum, maximum } = rules;
  const parts = separator === undefined ? [value] : value.split(separator);
  const strange = rules.enum ? parts.find((part) => !rules.enum?.includes(part.trim())) : undefined;
  if (strange !== undefined) return [`${said} is not one of ${rules.enum?.join(", ")}`];
  if (pattern !== undefined && !new RegExp(`^(?:${pattern})$`, "s").test(value))
    return [`${said} is not of the form ${pattern}`];
  if (type === "integer" && !/^-?\d+$/.test(value)) return [`${said} is not an integer`];
  if (type === "number" && Number.isNaN(Number(value))) return [`${said} is not a number`];
  if (type === "boolean" && !/^(?:true|false|0|1)$/.test(value)) return [`${said} is not a boolean`];
  if (minimum !== undefined && Number(value) < minimum) return [`${said} is less than ${minimum}`];
  if (maximum !== undefined && Number(value) > maximum && !isLargestCut)
    return [`${said} is more than ${maximum}`];
  return [];
}

/** Returns whether a request has the parameters in a text such as `query.sort=updated&query.order=desc`. */
export function hasParameters(
  fact: Pick<ListFact, "query" | "body">,
  request: VendorRequest,
  parameters: string,
): boolean {
  const wanted = parameters.split("&").map((part) => {
    const place = part.indexOf("=");
    return [part.slice(0, place), part.slice(place + 1)];
  });
  return hasValues(fact, request, Object.fromEntries(wanted));
}

/**
 * Returns whether the request has these values, by `query.<name>` and so on. If the name has a pattern, the value need only be
 * contained.
 */
export function hasValues(
  fact: Pick<ListFact, "query" | "body">,
  request: VendorRequest,
  wanted: Record<string, string>,
): boolean {
  return Object.entries(wanted).every(([target, value]) => {
    const text = readText(request, target);
    if (text === undefined) return false;
    const [place = "", name = ""] = [
      target.slice(0, target.indexOf(".")),
      target.slice(target.indexOf(".") + 1),
    ];
    const rules = place === "query" ? fact.query?.[name] : place === "header" ? undefined : fact.body?.[name];
    const squeezeSpaces = (one: string) => one.replace(/\s+/g, "").toLowerCase();
    if (rules?.pattern !== undefined) return squeezeSpaces(text).includes(squeezeSpaces(value));
    if (squeezeSpaces(text) === squeezeSpaces(value)) return true;
    const separator = rules?.separator;
    if (separator === undefined) return false;
    const parts = text.split(separator).map(squeezeSpaces);
    return value.split(separator).every((part) => parts.includes(squeezeSpaces(part)));
  });
}
