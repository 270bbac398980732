/** Salesloft's objects. */
import type { Description } from "../../connector-kit/declarative/rules/description.ts";

export const description: Description = {
  ids: { number: true },
  defaults: {
    // Lists are sorted by the time of change otherwise, and records then move during a read.
    list: {
      path: "/v2/{path}.json",
      query: { sort_by: "created_at", sort_direction: "ASC" },
      pageSize: { to: "query.per_page", most: 100 },
    },
    records: "data",
    paging: { page: { to: "query.page", first: 1, more: "metadata.paging.next_page" } },
    changedPath: "updated_at",
    since: { to: "query.updated_at[gte]" },
    create: { method: "POST", path: "/v2/{path}.json" },
    update: { method: "PUT", path: "/v2/{path}/{id}.json" },
    delete: { method: "DELETE", path: "/v2/{path}/{id}.json" },
    get: { path: "/v2/{path}/{id}.json", record: "data" },
    record: "data",
  },
  objects: {
    people: { example: { email_address: "ada@example.com", first_name: "Ada" } },
    accounts: { example: { name: "Quill Ltd", domain: "quill.example" } },
    notes: { example: { content: "Asked for pens" } },
    // Tasks can be sorted by their due date only, have no bound, and cannot be deleted.
    tasks: {
      modes: ["read", "create", "update"],
      list: { path: "/v2/{path}.json", pageSize: { to: "query.per_page", most: 100 } },
      since: {},
      example: { subject: "Call Ada" },
    },
  },
  errors: { message: ["errors.*.*", "error"] },
  sources: {
    documentation: "https://developers.salesloft.com/docs/api",
    checked: "2026-11-26, Salesloft’s OpenAPI file in a copy of 2025-02 and one of 2019",
  },
};
