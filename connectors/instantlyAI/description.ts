/** Instantly's campaigns, leads and lead lists: version 2 of its API. Leads are listed by POST. */
import type { Description } from "../../connector-kit/declarative/rules/description.ts";
import { bearerKey } from "../../connector-kit/provider/declare-provider.ts";

export const provider = bearerKey("Instantly", "https://api.instantly.ai/api", {
  docs: "https://developer.instantly.ai/getting-started/getting-started#generate-a-new-api-key",
  declares: ["read", "write", "delete", "search"],
});

export const description: Description = {
  ids: { pattern: "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}" },
  defaults: {
    list: { path: "/v2/{path}", pageSize: { to: "query.limit", most: 100 } },
    records: "items",
    paging: { cursor: { from: "next_starting_after", to: "query.starting_after" } },
    create: { method: "POST", path: "/v2/{path}" },
    update: { method: "PATCH", path: "/v2/{path}/{id}" },
    delete: { method: "DELETE", path: "/v2/{path}/{id}" },
    get: { path: "/v2/{path}/{id}" },
  },
  objects: {
    campaigns: { changedPath: "timestamp_updated", example: { name: "Pens" } },
    "lead-lists": { example: { name: "Writers" } },
    leads: {
      list: { method: "POST", path: "/v2/leads/list", pageSize: { to: "body.limit", most: 100 } },
      paging: { cursor: { from: "next_starting_after", to: "body.starting_after" } },
      changedPath: "timestamp_updated",
      example: { email: "ada@example.com", first_name: "Ada" },
    },
  },
  errors: { message: ["message"], marks: ["statusCode"] },
  sources: {
    documentation: "https://developer.instantly.ai",
    checked: "2026-11-26, the vendor's OpenAPI description of August 2026",
  },
};
