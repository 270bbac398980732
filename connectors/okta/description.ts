/** Okta's users and groups, by the fields of their profiles. Deleting an active user deactivates it; a second deletion deletes it. */
import type { Description } from "../../connector-kit/declarative/rules/description.ts";

export const description: Description = {
  ids: { pattern: "[A-Za-z0-9]{4,64}" },
  defaults: {
    list: { path: "/api/v1/{path}", pageSize: { to: "query.limit", most: 200 } },
    flatten: "profile",
    paging: { link: true },
    changedPath: "lastUpdated",
    since: { to: "query.filter", template: 'lastUpdated gt "{since}"', exclusive: true },
    create: { method: "POST", path: "/api/v1/{path}", wrap: { in: "profile" } },
    delete: { method: "DELETE", path: "/api/v1/{path}/{id}" },
    get: { path: "/api/v1/{path}/{id}" },
  },
  objects: {
    users: {
      // Without a filter, deactivated users are left out.
      since: { to: "query.filter", template: 'lastUpdated ge "{since}"', full: "1970-01-01T00:00:00Z" },
      // By POST, fields that are not named stay; a PUT would clear them.
      update: { method: "POST", path: "/api/v1/users/{id}", wrap: { in: "profile" } },
      example: { firstName: "Ada", lastName: "Quill", email: "ada@example.com", login: "ada@example.com" },
    },
    // An update, by PUT, would clear the fields that are not named.
    groups: { modes: ["read", "create", "delete"], example: { name: "Writers" } },
  },
  errors: {
    message: ["errorCauses.*.errorSummary", "errorSummary"],
    code: "errorCode",
  },
  limits: { reset: "x-rate-limit-reset" },
  sources: {
    documentation: "https://developer.okta.com/docs/api",
    checked: "2026-11-28, Okta's OpenAPI file 2026.06.3; domains of cells by Okta's own client",
  },
};
