/** Notion: the rows of any database and of any data source, whose fields come and go with their types, and lists of what the integration sees. */
import type { Description, ObjectRules } from "../../connector-kit/declarative/rules/description.ts";
import { propertyTypes, typedValues } from "./property-types.ts";
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";

/** Data sources, whose ids are not those of their database, are asked for by a later version. */
export const provider = oauth2("Notion", "https://api.notion.com", {
  authorize: "https://api.notion.com/v1/oauth/authorize",
  token: "https://api.notion.com/v1/oauth/token",
  tokenAuth: "basic",
  oauth: { authURLParams: { owner: "user" } },
  tokenFields: { workspaceRefField: "workspace_id", consumerRefField: "owner.user.id" },
  fixedHeaders: [{ name: "Notion-Version", valueTemplate: "2022-06-28" }],
  declares: ["read", "write", "delete", "search"],
});

/** With this version, which asks for data sources, the rows of a database that has several can be read. */
const headers = { "Notion-Version": "2026-03-11" };

/** Search lists pages and databases alike. What is edited during a read moves to the end, where it is read again. */
const searchFor = (value: string, version: { headers?: Record<string, string> } = {}): ObjectRules => ({
  modes: ["read"],
  list: {
    method: "POST",
    path: "/v1/search",
    ...version,
    body: {
      filter: { property: "object", value },
      sort: { timestamp: "last_edited_time", direction: "ascending" },
    },
    pageSize: { to: "body.page_size", most: 100 },
  },
  changedPath: "last_edited_time",
  // A search can have what is in the trash, and a page there is still answered.
  deleted: { at: "in_trash" },
  get: { path: "/v1/{path}/{id}", ...version },
});

/** Rows of a database, or of a data source in it. */
const buildRows = (
  table: "databases" | "data_sources",
  { parent, trashed, ...version }: { parent: string; trashed: string; headers?: Record<string, string> },
): ObjectRules => ({
  list: {
    method: "POST",
    path: `/v1/${table}/{path}/query`,
    ...version,
    body: { sorts: [{ timestamp: "last_edited_time", direction: "ascending" }] },
    pageSize: { to: "body.page_size", most: 100 },
  },
  changedPath: "last_edited_time",
  // A query ends after 10,000 rows: the next one begins at the time of the last row.
  since: {
    to: "body.filter.last_edited_time.on_or_after",
    body: { "filter.timestamp": "last_edited_time" },
    full: "1970-01-01T00:00:00Z",
    keyset: true,
  },
  // Rows in the trash are in a list of their own.
  deleted: { at: "in_trash" },
  furtherLists: [{ body: { in_trash: true }, deleted: true }],
  flatten: "properties",
  typedValues,
  create: {
    method: "POST",
    path: "/v1/pages",
    ...version,
    body: { [`parent.${parent}`]: "{path}" },
    wrap: { in: "properties" },
  },
  update: { method: "PATCH", path: "/v1/pages/{id}", ...version, wrap: { in: "properties" } },
  delete: { method: "PATCH", path: "/v1/pages/{id}", ...version, body: { [trashed]: true } },
  get: { path: "/v1/pages/{id}", ...version },
  metadata: {
    list: {
      path: `/v1/${table}/{path}`,
      ...version,
      records: "properties",
      keyed: true,
      name: "name",
      type: "type",
      types: propertyTypes,
      options: { at: "{type}.options", value: "name" },
      readOnly: { paths: ["type"], isNot: Object.keys(typedValues.writes) },
    },
  },
  example: { Name: "Ada" },
});

export const description: Description = {
  ids: { pattern: "[0-9a-f-]{36}" },
  defaults: {
    records: "results",
    paging: {
      cursor: { from: "next_cursor", to: "body.start_cursor", more: "has_more" },
      incomplete: "request_status.incomplete_reason",
    },
  },
  objects: {
    // A search shows what is new when it is indexed; Notion does not say how late that is. The overlap holds for all objects.
    pages: { ...searchFor("page"), since: { overlapMinutes: 15, settlingMinutes: 360 } },
    databases: searchFor("database"),
    data_sources: searchFor("data_source", { headers }),
    users: {
      modes: ["read"],
      list: { path: "/v1/users", pageSize: { to: "query.page_size", most: 100 } },
      paging: { cursor: { from: "next_cursor", to: "query.start_cursor" } },
      get: { path: "/v1/users/{id}" },
    },
  },
  others: {
    pattern: "[0-9a-f-]{32,36}",
    like: "d9824bdc84454327be8b5b47500af6ce",
    rules: buildRows("databases", { parent: "database_id", trashed: "archived" }),
    further: [
      {
        pattern: "data_sources/(?<path>[0-9a-f-]{32,36})",
        like: "data_sources/1a44be12094d4cc0a5a2f8b4c2d3e4f5",
        rules: buildRows("data_sources", { parent: "data_source_id", trashed: "in_trash", headers }),
      },
    ],
  },
  errors: {
    message: ["message"],
    marks: ["object"],
    code: "code",
    codes: { conflict_error: "unavailable" },
    texts: { "is archived": "not_found" },
  },
  limits: { perSecond: 3 },
  sources: {
    documentation: "https://developers.notion.com/reference/intro",
    checked:
      "2026-11-28, Notion's own client (4.0.2 for this version of the API, 5.26.0) and pages: requests, paging, the limit of a query, refusals; the words for an archived page are from reports of clients. A search is not guaranteed to return everything: only what is shared with the connection itself is always found. A relation is read with 25 references at most, a range of dates with its start; changes have the minute. A database with several data sources is refused by the version 2022-06-28, by which databases are asked for, so that connections of before go on; its rows are read by data source, by the version 2026-03-11 (upgrade guides of both versions)",
  },
};
