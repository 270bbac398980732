/** Webex's rooms, teams and webhooks. Records do not tell when they changed. */
import type { Description } from "../../connector-kit/declarative/rules/description.ts";
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";

export const provider = oauth2("Webex", "https://webexapis.com", {
  authorize: "https://webexapis.com/v1/authorize",
  token: "https://webexapis.com/v1/access_token",
  needsScopes: true,
  tokenFields: { scopesField: "scope" },
  oauth: { docsURL: "https://developer.webex.com/docs/run-an-oauth-integration" },
  declares: ["read", "write", "delete", "search"],
});

/** Webex demands a name of each update, whatever it changes. */
const update = { method: "PUT" as const, path: "/v1/{path}/{id}" };

export const description: Description = {
  ids: { pattern: "[A-Za-z0-9_=-]{1,255}" },
  defaults: {
    // The usual page has 100 entries, and no source names a larger one of teams and webhooks.
    list: { path: "/v1/{path}" },
    records: "items",
    paging: { link: true },
    create: { method: "POST", path: "/v1/{path}" },
    delete: { method: "DELETE", path: "/v1/{path}/{id}" },
    get: { path: "/v1/{path}/{id}" },
  },
  objects: {
    // By activity, rooms would move during the read.
    rooms: {
      list: {
        path: "/v1/{path}",
        query: { sortBy: "id" },
        pageSize: { to: "query.max", most: 1000 },
      },
      update: { ...update, repeats: ["title"] },
      example: { title: "Pens" },
    },
    teams: { update: { ...update, repeats: ["name"] }, example: { name: "Writers" } },
    webhooks: {
      update: { ...update, repeats: ["name", "targetUrl"] },
      example: { name: "Pens", targetUrl: "https://example.com", resource: "rooms", event: "all" },
    },
  },
  errors: { message: ["errors.*.description", "message"], marks: ["trackingId"] },
  sources: {
    documentation: "https://developer.webex.com/docs/api/getting-started",
    checked:
      "2026-11-27, Webex's own OpenAPI file of August 2026; paging by the Link header also by a published client",
  },
};
