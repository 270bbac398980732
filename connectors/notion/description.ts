/** Notion: the rows of any database, whose fields come and go with their types, and lists of what the integration sees. */
import type { Description, ObjectRules } from "../../connector-kit/described/description.ts";
import { propertyTypes, typedValues } from "./property-types.ts";

/** Search lists pages and databases alike. */
const found = (value: string): ObjectRules => ({
  modes: ["read"],
  list: {
    method: "POST",
    path: "/v1/search",
    body: { filter: { property: "object", value } },
    pageSize: { to: "body.page_size", most: 100 },
  },
  changedPath: "last_edited_time",
});

export const description: Description = {
  ids: { pattern: "[0-9a-f-]{36}" },
  defaults: {
    records: "results",
    paging: { cursor: { from: "next_cursor", to: "body.start_cursor", more: "has_more" } },
  },
  objects: {
    pages: found("page"),
    databases: found("database"),
    users: {
      modes: ["read"],
      list: { path: "/v1/users", pageSize: { to: "query.page_size", most: 100 } },
      paging: { cursor: { from: "next_cursor", to: "query.start_cursor", more: "has_more" } },
      get: { path: "/v1/users/{id}" },
    },
  },
  others: {
    pattern: "[0-9a-f-]{32,36}",
    like: "d9824bdc84454327be8b5b47500af6ce",
    rules: {
      list: {
        method: "POST",
        path: "/v1/databases/{path}/query",
        // Rows keep their places while others change.
        body: { sorts: [{ timestamp: "created_time", direction: "ascending" }] },
        pageSize: { to: "body.page_size", most: 100 },
      },
      changedPath: "last_edited_time",
      since: {
        to: "body.filter.last_edited_time.on_or_after",
        body: { "filter.timestamp": "last_edited_time" },
      },
      flatten: "properties",
      typedValues,
      create: {
        method: "POST",
        path: "/v1/pages",
        body: { "parent.database_id": "{path}" },
        wrap: { in: "properties" },
      },
      update: { method: "PATCH", path: "/v1/pages/{id}", wrap: { in: "properties" } },
      delete: { method: "PATCH", path: "/v1/pages/{id}", body: { archived: true } },
      get: { path: "/v1/pages/{id}" },
      metadata: {
        list: {
          path: "/v1/databases/{path}",
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
    },
  },
  errors: {
    message: ["message"],
    code: "code",
    codes: { conflict_error: "unavailable" },
    texts: { "is archived": "not_found" },
  },
  limits: { perSecond: 3 },
  sources: {
    documentation: "https://developers.notion.com/reference/intro",
    checked:
      "2026-11-23, documentation: versions, queries, values of properties; the words for an archived page are from reports of clients. A relation is read with 25 references at most, a range of dates with its start; changes have the minute",
  },
};
