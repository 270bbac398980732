/** Front's objects. An update answers without a body, so the record is read back. */
import type { Description } from "../../connector-kit/declarative/rules/description.ts";
import { bearerKey } from "../../connector-kit/provider/declare-provider.ts";

export const provider = bearerKey("Front", "https://api2.frontapp.com", {
  docs: "https://dev.frontapp.com/docs/create-and-revoke-api-tokens",
  declares: ["read", "write", "delete", "search"],
});

/** "If you send only the custom fields you want to update, the other custom fields will be erased" (OpenAPI file). */
const update = { method: "PATCH" as const, path: "/{path}/{id}", keeps: [{ at: "custom_fields" }] };

export const description: Description = {
  ids: { pattern: "[a-z]{3}_[A-Za-z0-9]{1,64}" },
  defaults: {
    list: { path: "/{path}", pageSize: { to: "query.limit", most: 100 } },
    records: "_results",
    paging: { nextUrl: { from: "_pagination.next" } },
    changedPath: "updated_at",
    create: { method: "POST", path: "/{path}" },
    update: { method: "PATCH", path: "/{path}/{id}" },
    delete: { method: "DELETE", path: "/{path}/{id}" },
    get: { path: "/{path}/{id}" },
  },
  objects: {
    contacts: {
      list: {
        path: "/{path}",
        query: { sort_by: "created_at", sort_order: "asc" },
        pageSize: { to: "query.limit", most: 100 },
      },
      since: { to: "query.q[updated_after]", format: "unix" },
      update,
      example: { name: "Ada", handles: [{ source: "email", handle: "ada@example.com" }] },
    },
    // Sorted by creation, no account is missed that changes between two pages.
    accounts: {
      list: {
        path: "/{path}",
        query: { sort_by: "created_at", sort_order: "asc" },
        pageSize: { to: "query.limit", most: 100 },
      },
      update,
      example: { name: "Quill Ltd" },
    },
    tags: {
      list: {
        path: "/{path}",
        query: { sort_by: "id", sort_order: "asc" },
        pageSize: { to: "query.limit", most: 100 },
      },
      example: { name: "vip" },
    },
  },
  errors: { message: ["_error.details.*", "_error.message", "_error.title"] },
  limits: { reset: "x-ratelimit-reset" },
  sources: {
    documentation: "https://dev.frontapp.com/reference",
    checked: "2026-11-26, Front's OpenAPI file of 2026-08-11",
  },
};
