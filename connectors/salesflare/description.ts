/** Salesflare's accounts, contacts, opportunities and tasks. An update by PUT changes only the fields it names. */
import type { Description } from "../../connector-kit/described/description.ts";

export const description: Description = {
  ids: { number: true },
  defaults: {
    // The largest page is not documented: pages have the default size, and the walk ends at an empty one.
    list: { path: "/{path}" },
    paging: { offset: { to: "query.offset" } },
    changedPath: "modification_date",
    since: { to: "query.modification_after" },
    create: { method: "POST", path: "/{path}" },
    update: { method: "PUT", path: "/{path}/{id}" },
    delete: { method: "DELETE", path: "/{path}/{id}" },
    get: { path: "/{path}/{id}" },
  },
  objects: {
    contacts: { example: { firstname: "Ada", email: "ada@example.com" } },
    accounts: { example: { name: "Quill Ltd" } },
    opportunities: { example: { name: "Pens" } },
    tasks: { since: {}, example: { description: "Call Ada" } },
  },
  errors: { message: ["message", "error"] },
  sources: {
    documentation: "https://api.salesflare.com/docs",
    checked:
      "2026-11-22, documentation: lists, bounds and writes of contacts; the other objects and errors unchecked",
  },
};
