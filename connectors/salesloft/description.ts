/** Salesloft's objects. */
import type { Description } from "../../connector-kit/described/description.ts";

export const description: Description = {
  ids: { number: true },
  defaults: {
    list: { path: "/v2/{path}", pageSize: { to: "query.per_page", most: 100 } },
    records: "data",
    paging: { page: { to: "query.page", first: 1, more: "metadata.paging.next_page" } },
    changedPath: "updated_at",
    since: {
      to: "query.updated_at[gte]",
      query: { sort_by: "updated_at", sort_direction: "ASC" },
    },
    create: { method: "POST", path: "/v2/{path}" },
    update: { method: "PUT", path: "/v2/{path}/{id}" },
    delete: { method: "DELETE", path: "/v2/{path}/{id}" },
    get: { path: "/v2/{path}/{id}", record: "data" },
    record: "data",
  },
  objects: {
    people: { example: { email_address: "ada@example.com", first_name: "Ada" } },
    accounts: { example: { name: "Quill Ltd", domain: "quill.example" } },
    notes: { example: { content: "Asked for pens" } },
    tasks: { since: {}, example: { subject: "Call Ada" } },
  },
  errors: { message: ["errors.*.*", "error"] },
  sources: {
    documentation: "https://developers.salesloft.com/docs/api",
    checked: "2026-11-22, documentation only",
  },
};
