/** Recurly's accounts, plans, items, coupons and subscriptions. To delete an account, a plan, an item or a coupon deactivates it. */
import type { Description } from "../../connector-kit/declarative/rules/description.ts";
import { keyAsBasic } from "../../connector-kit/provider/declare-provider.ts";

export const provider = keyAsBasic("Recurly", "https://{{.subdomain}}.recurly.com", "%s:", {
  declares: ["read", "write", "delete", "search"],
  fixedHeaders: [{ name: "Accept", valueTemplate: "application/vnd.recurly.v2021-02-25+json" }],
  inputs: [
    {
      name: "subdomain",
      displayName: "API Subdomain",
      prompt: "Your data centre: v3 (United States) or v3.eu (Europe).",
      defaultValue: "v3",
    },
  ],
});

export const description: Description = {
  ids: { pattern: "[a-z0-9]{1,64}" },
  defaults: {
    // Only by this order no record is missed that changes between two pages.
    list: {
      path: "/{path}",
      query: { sort: "updated_at", order: "asc" },
      pageSize: { to: "query.limit", most: 200 },
    },
    records: "data",
    paging: { nextUrl: { from: "next" } },
    changedPath: "updated_at",
    since: { to: "query.begin_time" },
    // Recurly's own clients send the key with each write, and repeat one whose connection broke.
    create: { method: "POST", path: "/{path}", idempotencyKeyTo: "header.Idempotency-Key" },
    update: { method: "PUT", path: "/{path}/{id}" },
    delete: { method: "DELETE", path: "/{path}/{id}" },
    get: { path: "/{path}/{id}" },
  },
  objects: {
    accounts: { example: { code: "quill", email: "ada@example.com" } },
    plans: { example: { code: "gold", name: "Gold" } },
    items: { example: { code: "pen", name: "Pen" } },
    coupons: { example: { code: "spring", name: "Spring" } },
    // Deleting would end them at once.
    subscriptions: { modes: ["read", "create", "update"], example: { plan_code: "gold", currency: "EUR" } },
    invoices: { modes: ["read"] },
  },
  errors: { message: ["error.message"], code: "error.type" },
  limits: { reset: "x-ratelimit-reset" },
  sources: {
    documentation: "https://recurly.com/developers/api/v2021-02-25",
    checked:
      "2026-11-29, Recurly's OpenAPI file of 2024-03-19 (v2021-02-25), the newest that is public; the key of creates from its own Ruby client, which names no time for which a key is known",
  },
};
