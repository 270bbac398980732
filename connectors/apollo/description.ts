/** Apollo's contacts, accounts and deals. Lists are searches, which show the first 50,000 records; nothing can be deleted. */
import type { Description } from "../../connector-kit/described/description.ts";

export const description: Description = {
  ids: { pattern: "[0-9a-f]{24,32}" },
  defaults: {
    modes: ["read", "create", "update"],
    list: {
      method: "POST",
      path: "/api/v1/{path}/search",
      pageSize: { to: "query.per_page", most: 100 },
    },
    records: "{path}",
    paging: { page: { to: "query.page", first: 1 } },
    total: "pagination.total_entries",
    changedPath: "updated_at",
    // No search knows a bound of the last change: all pages are read, and the records are compared here.
    since: {},
    create: { method: "POST", path: "/api/v1/{path}" },
    update: { method: "PATCH", path: "/api/v1/{path}/{id}" },
    get: { path: "/api/v1/{path}/{id}", record: "{singular}" },
    record: "{singular}",
  },
  objects: {
    contacts: { singular: "contact", example: { first_name: "Ada", email: "ada@example.com" } },
    accounts: { singular: "account", example: { name: "Quill Ltd" } },
    opportunities: {
      singular: "opportunity",
      list: { path: "/api/v1/{path}/search", pageSize: { to: "query.per_page", most: 100 } },
      example: { name: "Pens" },
    },
  },
  errors: { message: ["error", "message"], code: "error_code" },
  sources: {
    documentation: "https://docs.apollo.io/reference",
    checked:
      "2026-11-22, documentation: list of endpoints, methods, duplicates; members of answers from published connectors",
  },
};
