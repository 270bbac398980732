/** Chargebee's objects. Requests are forms, and every entry of a list holds its record in a member. */
import type { Description, ObjectRules } from "../../connector-kit/declarative/rules/description.ts";
import { keyAsBasic } from "../../connector-kit/provider/declare-provider.ts";

export const provider = keyAsBasic("Chargebee", "https://{{.workspace}}.chargebee.com/api", "%s:", {
  declares: ["read", "write", "delete", "search"],
  inputs: [
    {
      name: "workspace",
      displayName: "Site name",
      prompt: "The first part of your Chargebee address: acme in acme.chargebee.com.",
    },
  ],
});

/** Only these lists have deleted records, on request. */
const withDeleted: ObjectRules = {
  list: {
    path: "/v2/{path}",
    query: { include_deleted: "true", "sort_by[asc]": "updated_at" },
    pageSize: { to: "query.limit", most: 100 },
  },
  deleted: { at: "deleted" },
};

/** Parts of the catalog that were deleted have this status. */
const deleted = { at: "status", is: "deleted" };

/** Whether the list has them without the filter is not documented. */
const withStatus: ObjectRules = { furtherLists: [{ query: { "status[is]": "deleted" } }], deleted };

export const description: Description = {
  // Callers choose ids; those of items and item prices may have 100 characters, the others 50.
  ids: { pattern: "(?!\\.{1,2}$)[A-Za-z0-9_.:@+-]{1,100}" },
  defaults: {
    // By this order no record is missed that changes between two pages.
    list: {
      path: "/v2/{path}",
      query: { "sort_by[asc]": "updated_at" },
      pageSize: { to: "query.limit", most: 100 },
    },
    records: "list",
    each: "{singular}",
    paging: { cursor: { from: "next_offset", to: "query.offset" } },
    changedPath: "updated_at",
    // A change can be in lists five minutes after it.
    since: { to: "query.updated_at[after]", format: "unix", overlapMinutes: 15 },
    create: {
      method: "POST",
      path: "/v2/{path}",
      wrap: { form: true },
      idempotencyKeyTo: "header.chargebee-idempotency-key",
    },
    update: { method: "POST", path: "/v2/{path}/{id}", wrap: { form: true } },
    delete: { method: "POST", path: "/v2/{path}/{id}/delete" },
    get: { path: "/v2/{path}/{id}", record: "{singular}" },
    record: "{singular}",
  },
  objects: {
    customers: {
      singular: "customer",
      ...withDeleted,
      example: { first_name: "Ada", email: "ada@example.com" },
    },
    items: { singular: "item", ...withStatus, example: { id: "pen", name: "Pen", type: "plan" } },
    item_prices: {
      singular: "item_price",
      ...withStatus,
      example: { id: "pen-month", name: "Pen, monthly", item_id: "pen" },
    },
    item_families: {
      singular: "item_family",
      deleted,
      // This list cannot be sorted.
      list: { path: "/v2/{path}", pageSize: { to: "query.limit", most: 100 } },
      example: { id: "pens", name: "Pens" },
    },
    subscriptions: { singular: "subscription", modes: ["read"], ...withDeleted },
    invoices: { singular: "invoice", modes: ["read"], ...withDeleted },
    transactions: { singular: "transaction", modes: ["read"], ...withDeleted },
  },
  errors: {
    message: ["message"],
    marks: ["api_error_code"],
    code: "api_error_code",
    codes: { duplicate_entry: "conflict" },
  },
  sources: {
    documentation: "https://apidocs.chargebee.com/docs/api",
    checked: "2026-11-28, Chargebee's own clients of 2026-08-19 (Node.js) and 2026-01-19 (Java)",
  },
};
