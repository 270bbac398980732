/** Gorgias' customers, tickets and tags. An update by PUT changes only the fields it names; lists know no bound of time. */
import type { Description } from "../../connector-kit/declarative/rules/description.ts";
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";

export const provider = oauth2("Gorgias", "https://{{.workspace}}.gorgias.com", {
  authorize: "https://{{.workspace}}.gorgias.com/oauth/authorize",
  token: "https://{{.workspace}}.gorgias.com/oauth/token",
  tokenAuth: "basic",
  needsScopes: true,
  tokenFields: { scopesField: "scope" },
  oauth: { explicitWorkspaceRequired: true },
  declares: ["read", "write", "delete", "search"],
  inputs: [
    {
      name: "workspace",
      displayName: "Domain",
      prompt: "The first part of your Gorgias address: acme in acme.gorgias.com.",
    },
  ],
});

export const description: Description = {
  ids: { number: true },
  defaults: {
    list: { path: "/api/{path}", pageSize: { to: "query.limit", most: 100 } },
    records: "data",
    paging: { cursor: { from: "meta.next_cursor", to: "query.cursor" } },
    create: { method: "POST", path: "/api/{path}" },
    update: { method: "PUT", path: "/api/{path}/{id}" },
    delete: { method: "DELETE", path: "/api/{path}/{id}" },
    get: { path: "/api/{path}/{id}" },
  },
  objects: {
    // Without an order they may be sorted by name, which changes.
    customers: {
      list: {
        path: "/api/{path}",
        query: { order_by: "created_datetime:asc" },
        pageSize: { to: "query.limit", most: 100 },
      },
      changedPath: "updated_datetime",
      example: { name: "Ada Quill", email: "ada@example.com" },
    },
    tickets: {
      changedPath: "updated_datetime",
      // The list has those in the trash, too.
      deleted: { at: "trashed_datetime" },
      example: { subject: "Pens", channel: "api" },
    },
    tags: { deleted: { at: "deleted_datetime" }, example: { name: "ink" } },
  },
  errors: { message: ["error.data.*.*", "error.msg"] },
  sources: {
    documentation: "https://developers.gorgias.com/reference",
    checked:
      "2026-11-29, Gorgias' own pages: errors (of 2020), paging, limits, members of a ticket; copies of those of lists; an OpenAPI description and a client by others: addresses, parameters",
  },
};
