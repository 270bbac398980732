/** Square's customers and customer groups. Customers are listed by a search, which knows a bound of the last change. */
import type { Description } from "../../connector-kit/declarative/rules/description.ts";
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";

export const provider = oauth2("Square", "https://connect.squareup.com", {
  authorize: "https://connect.squareup.com/oauth2/authorize",
  token: "https://connect.squareup.com/oauth2/token",
  needsScopes: true,
  tokenFields: { consumerRefField: "merchant_id" },
  oauth: {
    authURLParams: { session: "true" },
    docsURL: "https://developer.squareup.com/docs/oauth-api/overview",
  },
  declares: ["read", "write", "delete", "search"],
  // Without it, the version is that of the app's owner: by default the newest of the day on which the app was made.
  fixedHeaders: [{ name: "Square-Version", valueTemplate: "2025-08-20" }],
});

const idempotencyKeyTo = "body.idempotency_key";

export const description: Description = {
  defaults: {
    paging: { cursor: { from: "cursor", to: "query.cursor" } },
    changedPath: "updated_at",
    absentWhenEmpty: true,
    create: { method: "POST", path: "/v2/{path}", idempotencyKeyTo },
    update: { method: "PUT", path: "/v2/{path}/{id}" },
    delete: { method: "DELETE", path: "/v2/{path}/{id}" },
    get: { path: "/v2/{path}/{id}", record: "{singular}" },
    record: "{singular}",
  },
  objects: {
    groups: {
      path: "customers/groups",
      singular: "group",
      list: { path: "/v2/{path}", pageSize: { to: "query.limit", most: 50 } },
      records: "groups",
      create: { method: "POST", path: "/v2/{path}", wrap: { in: "group" }, idempotencyKeyTo },
      update: { method: "PUT", path: "/v2/{path}/{id}", wrap: { in: "group" } },
      example: { name: "Writers" },
    },
    customers: {
      singular: "customer",
      list: {
        method: "POST",
        path: "/v2/customers/search",
        // By default they are sorted by name, which changes.
        body: { "query.sort.field": "CREATED_AT", "query.sort.order": "ASC" },
        pageSize: { to: "body.limit", most: 100 },
      },
      records: "customers",
      paging: { cursor: { from: "cursor", to: "body.cursor" } },
      // New and changed profiles may appear after "one minute or longer".
      since: { to: "body.query.filter.updated_at.start_at", overlapMinutes: 10 },
      example: { given_name: "Ada", email_address: "ada@example.com" },
    },
  },
  errors: {
    message: ["errors.*.detail", "errors.*.code"],
    field: "field",
    code: "errors.0.code",
  },
  sources: {
    documentation: "https://developer.squareup.com/reference/square",
    checked:
      "2026-11-26, Square's OpenAPI file of 2025-08-20; its client of 2026-05-20 has the same requests",
  },
};
