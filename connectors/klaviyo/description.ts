/** Klaviyo's objects, in the form of JSON:API. */
import type { Description } from "../../connector-kit/declarative/rules/description.ts";
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";

export const provider = oauth2("Klaviyo", "https://a.klaviyo.com", {
  grant: "authorizationCodePKCE",
  authorize: "https://www.klaviyo.com/oauth/authorize",
  token: "https://a.klaviyo.com/oauth/token",
  tokenAuth: "basic",
  needsScopes: true,
  tokenFields: { scopesField: "scope" },
  declares: ["read", "write", "delete", "search"],
  fixedHeaders: [{ name: "revision", valueTemplate: "2026-07-15" }],
});

export const description: Description = {
  ids: { pattern: "[A-Za-z0-9_-]{1,64}" },
  defaults: {
    // By this order no record is missed that changes between two pages.
    list: {
      path: "/api/{path}",
      query: { sort: "updated" },
      pageSize: { to: "query.page[size]", most: 10 },
    },
    records: "data",
    flatten: "attributes",
    paging: { nextUrl: { from: "links.next" } },
    changedPath: "attributes.updated",
    since: {
      to: "query.filter",
      template: "greater-than(updated,{since})",
      format: "rfc3339-seconds",
      exclusive: true,
    },
    create: { method: "POST", path: "/api/{path}", wrap: { jsonApi: true } },
    update: { method: "PATCH", path: "/api/{path}/{id}", wrap: { jsonApi: true } },
    delete: { method: "DELETE", path: "/api/{path}/{id}" },
    get: { path: "/api/{path}/{id}", record: "data" },
    record: "data",
  },
  objects: {
    lists: { singular: "list", example: { name: "News" } },
    segments: { singular: "segment", example: { name: "Buyers" } },
    templates: {
      singular: "template",
      // Lists have the parts of a template that was made by drag and drop only if they are asked for.
      list: {
        path: "/api/{path}",
        query: { sort: "updated", "additional-fields[template]": "definition" },
        pageSize: { to: "query.page[size]", most: 10 },
      },
      get: { path: "/api/{path}/{id}?additional-fields[template]=definition", record: "data" },
      since: {
        to: "query.filter",
        template: "greater-or-equal(updated,{since})",
        format: "rfc3339-seconds",
      },
      example: { name: "Hello", editor_type: "CODE" },
    },
    profiles: {
      singular: "profile",
      modes: ["read", "create", "update"],
      list: {
        path: "/api/{path}",
        query: { sort: "updated", "additional-fields[profile]": "subscriptions,predictive_analytics" },
        pageSize: { to: "query.page[size]", most: 100 },
      },
      get: {
        path: "/api/{path}/{id}?additional-fields[profile]=subscriptions,predictive_analytics",
        record: "data",
      },
      upsert: {
        method: "POST",
        path: "/api/profile-import",
        wrap: { jsonApi: true },
        keys: ["email", "phone_number", "external_id"],
      },
      example: { email: "ada@example.com" },
    },
  },
  errors: { message: ["errors.*.detail"], code: "errors.0.code" },
  limits: { reset: "ratelimit-reset" },
  sources: {
    documentation: "https://developers.klaviyo.com/en/reference",
    checked: "2026-11-26, Klaviyo's OpenAPI file of 2026-07-15",
  },
};
