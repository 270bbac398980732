/** Apollo's contacts, accounts and deals. Nothing can be deleted. */
import type { Description, ObjectRules } from "../../connector-kit/declarative/rules/description.ts";
import { headerKey } from "../../connector-kit/provider/declare-provider.ts";

export const provider = headerKey("Apollo", "https://api.apollo.io", "X-Api-Key", {
  docs: "https://docs.apollo.io/docs/create-api-key",
  declares: ["read", "write", "search"],
});

/**
 * A search: page, size and order go in the body. Sorted by creation, the newest first, a contact that changes does not move. A search shows 50,000
 * records at most; one with more fails, because its total says so.
 */
const search = (singular: string): ObjectRules => ({
  singular,
  list: {
    method: "POST",
    path: "/api/v1/{path}/search",
    body: { sort_by_field: `${singular}_created_at` },
    pageSize: { to: "body.per_page", most: 100 },
  },
  paging: { page: { to: "body.page", first: 1, anySize: true }, depth: { pages: 500 } },
});

export const description: Description = {
  ids: { pattern: "[0-9a-f]{24,32}" },
  defaults: {
    modes: ["read", "create", "update"],
    records: "{path}",
    total: "pagination.total_entries",
    // No list knows a bound of the last change: all pages are read, and the records are compared here.
    create: { method: "POST", path: "/api/v1/{path}" },
    update: { method: "PATCH", path: "/api/v1/{path}/{id}" },
    get: { path: "/api/v1/{path}/{id}", record: "{singular}" },
    record: "{singular}",
  },
  objects: {
    contacts: {
      ...search("contact"),
      changedPath: "updated_at",
      example: { first_name: "Ada", email: "ada@example.com" },
    },
    // Accounts and deals have no time of the last change.
    accounts: { ...search("account"), example: { name: "Quill Ltd" } },
    opportunities: {
      singular: "opportunity",
      list: { path: "/api/v1/{path}/search", pageSize: { to: "query.per_page", most: 100 } },
      paging: { page: { to: "query.page", first: 1, anySize: true } },
      example: { name: "Pens" },
    },
  },
  errors: {
    message: ["error", "message"],
    code: "error_code",
    // The status of these is 422.
    texts: {
      "does not exist": "not_found",
      "has been deleted": "not_found",
      "as it is deleted": "not_found",
    },
  },
  sources: {
    documentation: "https://docs.apollo.io/reference",
    checked: "2026-11-26, the vendor's OpenAPI description of August 2026",
  },
};
