/** Finds the facts that a request to a vendor's API may match. */
import type { Facts, ListFact, ObjectFacts, RecordFact } from "../../connector-kit/facts/facts.ts";
import { readPathQuery } from "./vendor-checks.ts";
import { readText, readValue, type VendorRequest } from "./vendor-request.ts";

type RecordAction = "get" | "create" | "update" | "upsert" | "delete";
const RECORD_ACTIONS: RecordAction[] = ["get", "create", "update", "upsert", "delete"];
type ListAction = "list" | "changes";

interface RouteBase {
  objectName: string;
  object: ObjectFacts;
  /** Decoded values of the placeholders in the path. */
  values: Record<string, string>;
}

export interface ListRoute extends RouteBase {
  action: ListAction;
  fact: ListFact;
  /** Shows only the rows of this entry in `hidden`. */
  hidden?: number;
  /** Shows deleted and hidden rows, too. */
  isWhole?: boolean;
}

export interface RecordRoute extends RouteBase {
  action: RecordAction;
  fact: RecordFact;
}

export type Route = ListRoute | RecordRoute;

interface FoundRoutes {
  routes: Route[];
  /** Whether the address is known with another method. */
  isKnownAddress: boolean;
}

/** Finds every route with the address and the method, those with most conditions first. */
export function findRoutes(
  facts: Facts,
  request: VendorRequest,
  connection: Record<string, string>,
): FoundRoutes {
  const found: { route: Route; path: string }[] = [];
  let isKnownAddress = false;
  for (const route of listAllRoutes(facts)) {
    const values = readPlaceholders(route.path, request, connection);
    if (!values || route.fact.method === undefined) continue;
    isKnownAddress = true;
    if (route.fact.method !== request.method || ("absent" in route.fact && route.fact.absent)) continue;
    found.push({ route: { ...route, values } as Route, path: route.path });
  }
  const listConditions = ({ route: { fact }, path }: (typeof found)[number]): number =>
    Object.values({ ...fact.query, ...fact.body }).filter(
      ({ required, pattern }) => required || pattern !== undefined,
    ).length +
    readPathQuery(path).length * 10;
  return {
    routes: found
      .toSorted(
        (a, b) => countFixedSteps(b.path) - countFixedSteps(a.path) || listConditions(b) - listConditions(a),
      )
      .map(({ route }) => route),
    isKnownAddress,
  };
}

/** Finds the request that a GraphQL field stands for; undefined if no fact is about it. With an id, it is one for a single record. */
export function findFieldRoute(facts: Facts, field: string, call: VendorRequest): Route | undefined {
  let found: Route | undefined;
  for (const { path: _, ...route } of listAllRoutes(facts)) {
    if (route.fact.field !== field) continue;
    if (
      "idTo" in route.fact &&
      route.fact.idTo !== undefined &&
      readText(call, route.fact.idTo) === undefined
    )
      continue;
    if (!found || route.action === "get") found = { ...route, values: {} } as Route;
  }
  return found;
}

/** Lists the objects whose lists are members of a root field's value, if the call names them. */
export function findListsBelow(facts: Facts, field: string, call: VendorRequest): string[] {
  return Object.entries(facts.objects).flatMap(([name, { list }]) => {
    const isBelow = list?.below !== undefined && list.field?.startsWith(`${field}.`);
    return isBelow && readText(call, list.below ?? "") === name ? [name] : [];
  });
}

/** Counts the fixed steps: `/users/me` comes before `/users/{id}`. */
const countFixedSteps = (path: string): number =>
  path.split("/").filter((step) => !step.includes("{")).length;

function* listAllRoutes(facts: Facts): Generator<Omit<Route, "values"> & { path: string }> {
  for (const [objectName, object] of Object.entries(facts.objects)) {
    for (const action of ["list", "changes"] as const) {
      const fact = object[action];
      if (!fact) continue;
      yield { objectName, object, action, fact, path: fact.path };
      const { wholeAt } = fact.language ?? {};
      if (wholeAt !== undefined)
        yield { objectName, object, action, fact, path: wholeAt, isWhole: true } as Omit<Route, "values"> & {
          path: string;
        };
      for (const [hidden, { alsoAt }] of (fact.hidden ?? []).entries())
        if (alsoAt !== undefined && alsoAt !== wholeAt)
          yield { objectName, object, action, fact, path: alsoAt, hidden } as Omit<Route, "values"> & {
            path: string;
          };
    }
    for (const action of RECORD_ACTIONS) {
      const fact = object[action];
      if (!fact) continue;
      for (const path of fact.alsoAt === undefined ? [fact.path] : [fact.path, fact.alsoAt])
        yield { objectName, object, action, fact, path } as Omit<Route, "values"> & { path: string };
    }
  }
}

interface Template {
  form: RegExp;
  /** Names of the placeholders, in their order. */
  names: string[];
  wantedQuery: ReturnType<typeof readPathQuery>;
}

/** Every request is compared with every address of its vendor. */
const parsed = new Map<string, Template>();

function parseTemplate(template: string): Template {
  const known = parsed.get(template);
  if (known) return known;
  const [path = ""] = template.split("?");
  const names: string[] = [];
  const form = path.replace(NEAR, "\\$&").replace(/\{([^{}]+)\}/g, (_, name: string) => {
    names.push(name);
    return "([^/]+?)";
  });
  const made = { names, form: new RegExp(`^${form}$`), wantedQuery: readPathQuery(template) };
  parsed.set(template, made);
  return made;
}

const NEAR = /[.*+?^$|()[\]\\]/g;

/** Returns the decoded placeholders; undefined for another address. */
export function readPlaceholders(
  template: string,
  request: VendorRequest,
  connection: Record<string, string>,
): Record<string, string> | undefined {
  const { names, form, wantedQuery } = parseTemplate(template);
  const found = form.exec(request.path);
  if (!found) return undefined;
  const values: Record<string, string> = {};
  for (const [index, name] of names.entries()) {
    const value = decodeText(found[index + 1] ?? "");
    if (value === undefined) return undefined;
    const known = connection[name.replace("connection.", "")];
    if (known !== undefined && known !== value) return undefined;
    values[name] = value;
  }
  for (const [name, wanted] of wantedQuery) {
    const given = readValue(request, `query.${name}`);
    const placeholder = /^\{([^{}]+)\}$/.exec(wanted)?.[1];
    if (placeholder === undefined ? given !== wanted : typeof given !== "string") return undefined;
    if (placeholder !== undefined) values[placeholder] = String(given);
  }
  return values;
}

function decodeText(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
