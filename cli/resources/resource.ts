/** The interface of resources that can be listed, fetched and deleted, and the building blocks to implement it. */
import { suggestName } from "../../ground/closest.ts";
import { Failure } from "../failures.ts";
import { encodeStep } from "../http/api.ts";
import {
  listObjectsAt,
  requireObject,
  requireObjects,
  requireText,
  getTextAt,
  getValueAt,
  type JsonObject,
} from "../http/json.ts";
import type { Column, Columns } from "../output/column.ts";
import type { Connected } from "../settings/connect.ts";
import { listUnknownNames } from "./unknown-names.ts";

/** Options that filter a list or locate a resource. */
export interface Filters {
  integration?: string;
  installation?: string;
  group?: string;
  provider?: string;
  destination?: string;
  topic?: string;
  status?: string;
  type?: string;
  /** Kind of delivery: `read`, `subscribe`, `schema`, `notification`. */
  kind?: string;
  object?: string;
  record?: string;
  /** `actor.id` of what somebody asked for. */
  actor?: string;
  limit?: number;
  /** For a destination: include its signing key. */
  includeSecrets?: boolean;
}

export interface Resource {
  /** The name in `list`: `provider-apps`. */
  plural: string;
  singular: string;
  aliases?: string[];
  filters?: (keyof Filters)[];
  columns: Columns;
  /** The rows with names beside ids, which columns may show. */
  withNames?(deps: Connected, rows: JsonObject[]): Promise<JsonObject[]>;
  list?(deps: Connected, filters: Filters): Promise<JsonObject[]>;
  get?(deps: Connected, name: string, filters: Filters): Promise<JsonObject>;
  remove?(deps: Connected, name: string, filters: Filters): Promise<void>;
  /** Names what is deleted with the resource; the command asks for confirmation. */
  takesAlong?: string;
  /** Lists what that is now, for the question. */
  listDependents?(deps: Connected, name: string, filters: Filters): Promise<string[]>;
}

export const DEFAULT_LIMIT = 50;

/** List, fetch and delete for collections below the project that need nothing special. */
export const listAt = (path: string) => async (deps: Connected) =>
  requireObjects(await deps.inProject("GET", path));

export const getAt = (path: string) => async (deps: Connected, name: string) =>
  requireObject(await deps.inProject("GET", `${path}/${encodeStep(name)}`));

export const removeAt = (path: string) => async (deps: Connected, name: string) =>
  void (await deps.inProject("DELETE", `${path}/${encodeStep(name)}`));

/** Fetches from the list, for collections whose items have no path. Finds by id, or by a member that is unique. */
export const findIn =
  (path: string, singular: string, member?: string) =>
  async (deps: Connected, name: string): Promise<JsonObject> => {
    const all = requireObjects(await deps.inProject("GET", path));
    const named = member === undefined ? [] : all.filter((item) => getTextAt(item, member) === name);
    const found = all.find((item) => getTextAt(item, "id") === name) ?? named[0];
    if (named.length > 1 && found === named[0]) {
      throw new Failure(`There are ${named.length} ${singular}s for ${name}; name one by its id.`, {
        remedy: `Ids: ${named.map((item) => getTextAt(item, "id")).join(", ")}.`,
      });
    }
    if (found) return found;
    const names = all.flatMap((item) => (member === undefined ? [] : (getTextAt(item, member) ?? [])));
    const hint = suggestName(name, names, "");
    throw new Failure(`There is no ${singular} \`${name}\` in this project. ${hint}`.trim());
  };

/** Deletes by the same names; the API accepts ids only. */
export const findAndRemove = (path: string, singular: string, member: string) => {
  const find = findIn(path, singular, member);
  return async (deps: Connected, name: string) =>
    removeAt(path)(deps, requireText(await find(deps, name), "id"));
};

const PAGE_SIZE = 200;
/** A page of a search can be empty although there are more. */
const MAX_PAGES = 200;

/** Returns up to `limit` items of a paged list. */
export async function listPages(
  deps: Connected,
  path: string,
  options: { limit?: number; query?: Record<string, string | undefined> },
): Promise<JsonObject[]> {
  const { limit = DEFAULT_LIMIT, query } = options;
  const found: JsonObject[] = [];
  let pageToken: string | undefined;
  for (let pages = 0; pages < MAX_PAGES && found.length < limit; pages += 1) {
    const pageSize = String(Math.min(limit, PAGE_SIZE));
    const page = await deps.inProject("GET", path, { query: { ...query, pageSize, pageToken } });
    found.push(...listObjectsAt(page, "results"));
    pageToken = getTextAt(page, "pagination.nextPageToken");
    if (!pageToken) break;
  }
  if (found.length >= limit && pageToken) deps.out.note(`showing the newest ${limit}; --limit shows more`);
  return found.slice(0, limit);
}

/**
 * Prints the rows as a table, with names beside ids; with `--json` as they came. If there are none, says which names of the filters do
 * not exist.
 */
export async function printRows(
  resource: Pick<Resource, "columns" | "plural" | "withNames">,
  rows: JsonObject[],
  deps: Connected,
  filters: Filters,
): Promise<void> {
  const named = deps.out.json || rows.length === 0 ? rows : await resource.withNames?.(deps, rows);
  deps.out.rows(named ?? rows, resource.columns, `There are no ${resource.plural}.`);
  if (rows.length > 0) return;
  for (const unknown of await listUnknownNames(deps, filters)) deps.out.note(unknown);
}

/** Returns a column with the value at a path. */
export const text = (path: string) => ({
  text(row: JsonObject): string {
    const value = getValueAt(row, path);
    if (value === undefined || value === null) return "";
    return typeof value === "string" ? value : JSON.stringify(value);
  },
});

export const id = (path: string): Column => ({ ...text(path), kind: "id" });

export const time = (path: string): Column => ({ ...text(path), kind: "time" });

export const status = (path: string): Column => ({ ...text(path), kind: "status" });

/** Returns a column with the sentence at a path. */
export const prose = (path: string): Column => ({ ...text(path), kind: "prose" });

export const markExtra = (column: Column): Column => ({ ...column, isExtra: true });

export const joinByComma = (path: string) => (row: JsonObject) => {
  const value = getValueAt(row, path);
  return Array.isArray(value) ? value.map(String).join(", ") : "";
};
