/** Freshdesk's objects. An update by PUT changes only the fields it names. */
import type { Description } from "../../connector-kit/declarative/rules/description.ts";
import { keyAsBasic } from "../../connector-kit/provider/declare-provider.ts";

export const provider = keyAsBasic("Freshdesk", "https://{{.workspace}}.freshdesk.com", "%s:X", {
  declares: ["read", "write", "delete", "search"],
  inputs: [
    {
      name: "workspace",
      displayName: "Domain",
      prompt: "The first part of your Freshdesk address: acme in acme.freshdesk.com.",
    },
  ],
});

export const description: Description = {
  ids: { number: true },
  defaults: {
    list: { path: "/api/v2/{path}", pageSize: { to: "query.per_page", most: 100 } },
    paging: { page: { to: "query.page", first: 1, anySize: true, next: "header.Link" } },
    changedPath: "updated_at",
    create: { method: "POST", path: "/api/v2/{path}" },
    update: { method: "PUT", path: "/api/v2/{path}/{id}" },
    delete: { method: "DELETE", path: "/api/v2/{path}/{id}" },
    get: { path: "/api/v2/{path}/{id}" },
  },
  objects: {
    tickets: {
      // Without the bound, the list has the tickets of the last 30 days only. Spam and deleted tickets have lists of their own.
      list: {
        path: "/api/v2/{path}",
        query: { order_by: "updated_at", order_type: "asc", include: "description,stats" },
        pageSize: { to: "query.per_page", most: 100 },
      },
      // Pages end at 300, of which those of one time never have so many, and a ticket that changes meanwhile would move the others.
      since: {
        to: "query.updated_since",
        format: "rfc3339-seconds",
        full: "1970-01-01T00:00:00Z",
        keyset: true,
        exclusive: true,
      },
      get: { path: "/api/v2/{path}/{id}?include=stats" },
      furtherLists: [{ query: { filter: "spam" } }, { query: { filter: "deleted" }, deleted: true }],
      example: { subject: "Printer", description: "It smokes", email: "ada@example.com" },
    },
    contacts: {
      since: { to: "query._updated_since", format: "rfc3339-seconds" },
      // The list has neither blocked nor deleted contacts.
      furtherLists: [{ query: { state: "blocked" } }, { query: { state: "deleted" }, deleted: true }],
      example: { name: "Ada Quill", email: "ada@example.com" },
    },
    companies: { example: { name: "Quill Ltd" } },
    groups: { example: { name: "Support" } },
  },
  errors: {
    message: ["errors.*.message", "message"],
    marks: ["code", "errors"],
    field: "field",
    code: "errors.0.code",
    furtherCode: "code",
  },
  sources: {
    documentation: "https://developers.freshdesk.com/api",
    checked:
      "2026-11-28, copies of Freshdesk’s pages by others, two other connectors. What tickets have on request costs: a page of them five credits of the rate limit, a single one three",
  },
};
