/** Close's objects. Paths end in a slash; an update by PUT changes only the fields it names. */
import type { Description } from "../../connector-kit/declarative/rules/description.ts";

const buildList = (query: Record<string, string>) => ({
  path: "/api/v1/{path}/",
  query,
  pageSize: { to: "query._limit", most: 100 },
});

export const description: Description = {
  ids: { pattern: "[a-z]+_[A-Za-z0-9]{1,64}" },
  defaults: {
    list: { path: "/api/v1/{path}/", pageSize: { to: "query._limit", most: 100 } },
    records: "data",
    paging: { offset: { to: "query._skip", more: "has_more" } },
    changedPath: "date_updated",
    // Lists of leads and contacts know no bound: the records are compared here.
    create: { method: "POST", path: "/api/v1/{path}/" },
    update: { method: "PUT", path: "/api/v1/{path}/{id}/" },
    delete: { method: "DELETE", path: "/api/v1/{path}/{id}/" },
    get: { path: "/api/v1/{path}/{id}/" },
  },
  objects: {
    lead: { example: { name: "Quill Ltd" } },
    contact: { example: { name: "Ada", lead_id: "lead_1" } },
    opportunity: {
      // Beyond the largest `_skip`, the list goes on by time.
      list: buildList({ _order_by: "date_updated" }),
      total: "total_results",
      since: { to: "query.date_updated__gte", full: "1970-01-01T00:00:00Z", keyset: true },
      example: { lead_id: "lead_1", note: "Pens" },
    },
    // Without the type, only tasks of leads are listed.
    task: {
      list: buildList({ _type: "all", _order_by: "date_created" }),
      since: { to: "query.date_updated__gte" },
      example: { text: "Call Ada" },
    },
  },
  errors: { message: ["error", "errors.*", "field-errors.*"] },
  sources: {
    documentation: "https://developer.close.com",
    checked:
      "2026-11-26, Close’s OpenAPI file in a copy of 2026-06, its pages about paging and tasks; the largest `_limit` and `_skip` vary by resource and are not named",
  },
};
