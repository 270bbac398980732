/** Salesflare's accounts, contacts, opportunities and tasks. An update by PUT changes only the fields it names. */
import type { Description } from "../../connector-kit/declarative/rules/description.ts";

export const description: Description = {
  ids: { number: true },
  defaults: {
    // The largest page is not documented: pages have the default size, and the scan ends at an empty one.
    list: { path: "/{path}" },
    paging: { offset: { to: "query.offset" } },
    changedPath: "modification_date",
    // Only contacts know a bound of the last change: the other records are compared here.
    create: { method: "POST", path: "/{path}" },
    update: { method: "PUT", path: "/{path}/{id}" },
    delete: { method: "DELETE", path: "/{path}/{id}" },
    get: { path: "/{path}/{id}" },
  },
  objects: {
    contacts: {
      list: { path: "/{path}", query: { includeArchived: "true" } },
      since: { to: "query.modification_after" },
      example: { firstname: "Ada", email: "ada@example.com" },
    },
    accounts: { example: { name: "Quill Ltd" } },
    opportunities: { example: { name: "Pens" } },
    // Tasks of the connected user: those of others are listed by the ids of their users only.
    tasks: { example: { description: "Call Ada" } },
  },
  errors: { message: ["message", "error"] },
  sources: {
    documentation: "https://api.salesflare.com/docs",
    checked:
      "2026-11-26, Salesflare's OpenAPI file of 2026-08-22: addresses, verbs and parameters; sizes, orders and errors unchecked",
  },
};
