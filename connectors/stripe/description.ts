/** Stripe's objects. Bodies are forms, an update is a POST, and lists know no bound of the last change. */
import type { Description, ObjectRules } from "../../connector-kit/declarative/rules/description.ts";
import { bearerKey } from "../../connector-kit/provider/declare-provider.ts";

export const provider = bearerKey("Stripe", "https://api.stripe.com", {
  // Without it, each account's own version holds, which may be years old: https://github.com/stripe/stripe-python/issues/687
  fixedHeaders: [{ name: "Stripe-Version", valueTemplate: "2026-07-29.dahlia" }],
  docs: "https://docs.stripe.com/keys",
  declares: ["read", "write", "subscribe", "delete", "search"],
});

/** Stripe lists the events of the last 30 days, the newest first. Keys that are restricted may lack the permission for events. */
const readToldDeletions = (
  event: string,
  mayBeBack = false,
): NonNullable<ObjectRules["furtherLists"]>[number] => ({
  list: { path: "/v1/events", query: { type: event }, pageSize: { to: "query.limit", most: 100 } },
  paging: { keyset: { to: "query.starting_after", from: "id", more: "has_more" } },
  idPath: "data.object.id",
  changedPath: "created",
  since: { to: "query.created[gte]", format: "unix", overlapMinutes: 10, oldestDays: 30 },
  deleted: true,
  mayBeForbidden: true,
  ...(mayBeBack && { mayBeBack }),
});

/** Properties of a record that Stripe leaves out unless they are asked for. */
const expandProperties = (...names: string[]): Required<Pick<ObjectRules, "list" | "get">> => ({
  list: {
    path: "/v1/{path}",
    query: Object.fromEntries(names.map((name, index) => [`expand[${index}]`, `data.${name}`])),
    pageSize: { to: "query.limit", most: 100 },
  },
  get: { path: `/v1/{path}/{id}?${names.map((name, index) => `expand[${index}]=${name}`).join("&")}` },
});

const prices = expandProperties("tiers", "currency_options");

export const description: Description = {
  // Callers choose the ids of coupons and products.
  ids: { pattern: "(?!\\.{1,2}$)[A-Za-z0-9_.:@+-]{1,255}" },
  defaults: {
    list: { path: "/v1/{path}", pageSize: { to: "query.limit", most: 100 } },
    records: "data",
    paging: { keyset: { to: "query.starting_after", more: "has_more" } },
    create: {
      method: "POST",
      path: "/v1/{path}",
      wrap: { form: true },
      idempotencyKeyTo: "header.Idempotency-Key",
      idempotencyKeyMinutes: 24 * 60,
    },
    update: { method: "POST", path: "/v1/{path}/{id}", wrap: { form: true } },
    delete: { method: "DELETE", path: "/v1/{path}/{id}" },
    get: { path: "/v1/{path}/{id}" },
  },
  objects: {
    customers: {
      get: { path: "/v1/{path}/{id}", deleted: { at: "deleted" } },
      furtherLists: [readToldDeletions("customer.deleted")],
      example: { email: "ada@example.com", metadata: { plan: "pro" } },
    },
    products: { furtherLists: [readToldDeletions("product.deleted", true)], example: { name: "Pen" } },
    coupons: {
      ...expandProperties("applies_to", "currency_options"),
      furtherLists: [readToldDeletions("coupon.deleted", true)],
      example: { duration: "once" },
    },
    invoiceitems: {
      furtherLists: [readToldDeletions("invoiceitem.deleted")],
      example: { customer: "cus_1" },
    },
    // A list without the parameter has the active ones.
    prices: {
      modes: ["read", "create", "update"],
      ...prices,
      list: { ...prices.list, query: { ...prices.list.query, active: "true" } },
      furtherLists: [{ query: { active: "false" } }, readToldDeletions("price.deleted")],
      example: { currency: "eur" },
    },
    invoices: { furtherLists: [readToldDeletions("invoice.deleted")], example: { customer: "cus_1" } },
    // Without the parameter, canceled ones are left out.
    subscriptions: {
      modes: ["read", "create", "update"],
      list: { path: "/v1/{path}", query: { status: "all" }, pageSize: { to: "query.limit", most: 100 } },
      example: { customer: "cus_1" },
    },
    payment_intents: { modes: ["read", "create", "update"], example: { currency: "eur" } },
    charges: { modes: ["read"] },
  },
  errors: {
    message: ["error.message"],
    code: "error.code",
    // The first request under the key is still at work; Stripe's client sends the second one again.
    codes: { idempotency_key_in_use: "unavailable" },
  },
  sources: {
    documentation: "https://docs.stripe.com/api",
    checked:
      "2026-11-28, Stripe's own client of 2026-08-19 (API 2026-07-29), its recorded answers, documentation of errors, of paging, of expanding and of deleted customers. Lists are not expanded by other resources, such as refunds of charges or tax ids of customers. Deletions are read from the list of events, which goes back 30 days",
  },
};
