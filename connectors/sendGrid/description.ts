/** SendGrid's lists and single sends. Contacts are written by jobs, which a description cannot say. */
import type { Description } from "../../connector-kit/declarative/rules/description.ts";
import { bearerKey } from "../../connector-kit/provider/declare-provider.ts";

export const provider = bearerKey("SendGrid", "https://{{.subdomain}}.sendgrid.com", {
  docs: "https://www.twilio.com/docs/sendgrid",
  declares: ["read", "write", "delete", "search"],
  inputs: [
    {
      name: "subdomain",
      displayName: "API Subdomain",
      prompt: "Your region: api (global) or api.eu (a regional subuser in Europe).",
      defaultValue: "api",
    },
  ],
});

export const description: Description = {
  ids: { pattern: "[A-Za-z0-9-]{1,64}" },
  defaults: {
    list: { path: "/v3/marketing/{path}" },
    records: "result",
    paging: { nextUrl: { from: "_metadata.next" } },
    total: "_metadata.count",
    create: { method: "POST", path: "/v3/marketing/{path}" },
    update: { method: "PATCH", path: "/v3/marketing/{path}/{id}" },
    delete: { method: "DELETE", path: "/v3/marketing/{path}/{id}" },
    get: { path: "/v3/marketing/{path}/{id}" },
  },
  objects: {
    lists: {
      list: { path: "/v3/marketing/{path}", pageSize: { to: "query.page_size", most: 1000 } },
      example: { name: "Pens" },
    },
    // No source names the largest page.
    singlesends: {
      changedPath: "updated_at",
      update: { method: "PATCH", path: "/v3/marketing/{path}/{id}", repeats: ["name"], accepted: true },
      example: { name: "Hello" },
    },
  },
  errors: { message: ["errors.*.message"], field: "field", code: "errors.0.error_id" },
  limits: { reset: "x-ratelimit-reset" },
  sources: {
    documentation: "https://www.twilio.com/docs/sendgrid/api-reference",
    checked:
      "2026-11-28, Twilio's OpenAPI files of SendGrid of 2026-01-22. They demand the name in each update of a single send",
  },
};
