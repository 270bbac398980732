/** Front's objects. An update answers without a body, so the record is read back. */
import type { Description } from "../../connector-kit/described/description.ts";

export const description: Description = {
  ids: { pattern: "[a-z]{3}_[A-Za-z0-9]{1,64}" },
  defaults: {
    list: { path: "/{path}", pageSize: { to: "query.limit", most: 100 } },
    records: "_results",
    paging: { nextUrl: { from: "_pagination.next" } },
    changedPath: "updated_at",
    since: { format: "unix" },
    create: { method: "POST", path: "/{path}" },
    update: { method: "PATCH", path: "/{path}/{id}", empty: true },
    delete: { method: "DELETE", path: "/{path}/{id}" },
    get: { path: "/{path}/{id}" },
  },
  objects: {
    contacts: {
      since: {
        to: "query.q[updated_after]",
        format: "unix",
        query: { sort_by: "updated_at", sort_order: "asc" },
      },
      example: { name: "Ada", handles: [{ source: "email", handle: "ada@example.com" }] },
    },
    accounts: { example: { name: "Quill Ltd" } },
    tags: { example: { name: "vip" } },
  },
  errors: { message: ["_error.details.*", "_error.message", "_error.title"] },
  limits: { reset: "x-ratelimit-reset" },
  sources: { documentation: "https://dev.frontapp.com/reference", checked: "2026-11-22, documentation only" },
};
