/** PandaDoc's contacts, documents, templates and products. Documents are made of templates with recipients, tokens and prices as one body. */
import type { Description, ObjectRules } from "../../connector-kit/declarative/rules/description.ts";
import { headerKey } from "../../connector-kit/provider/declare-provider.ts";

/** Accounts in Europe are on servers of their own. */
export const provider = headerKey("PandaDoc", "https://api.{{.domain}}", "Authorization: API-Key ", {
  docs: "https://developers.pandadoc.com/reference/api-key-authentication-process",
  declares: ["read", "write", "delete", "search"],
  hostSuffixes: [".pandadoc.com", ".pandadoc.eu"],
  inputs: [
    {
      name: "domain",
      displayName: "Domain",
      prompt: "The end of your PandaDoc address: pandadoc.com, or pandadoc.eu for an account in Europe.",
      defaultValue: "pandadoc.com",
    },
  ],
  authHealthCheck: { url: "https://api.{{.domain}}/public/v1/members/current" },
});

/** With this parameter a list has the deleted ones only. */
const inTrash: ObjectRules["furtherLists"] = [{ query: { deleted: "true" }, deleted: true }];

export const description: Description = {
  defaults: {
    list: { path: "/public/v1/{path}", pageSize: { to: "query.count", most: 100 } },
    records: "results",
    paging: { page: { to: "query.page", first: 1, anySize: true } },
    get: { path: "/public/v1/{path}/{id}" },
    create: { method: "POST", path: "/public/v1/{path}" },
    update: { method: "PATCH", path: "/public/v1/{path}/{id}" },
    delete: { method: "DELETE", path: "/public/v1/{path}/{id}" },
  },
  objects: {
    contacts: {
      list: { path: "/public/v1/{path}" },
      paging: { none: true },
      example: { email: "ada@example.com", first_name: "Ada" },
    },
    documents: {
      list: {
        path: "/public/v1/{path}",
        query: { order_by: "date_created" },
        pageSize: { to: "query.count", most: 100 },
      },
      changedPath: "date_modified",
      since: { to: "query.modified_from" },
      furtherLists: inTrash,
      example: { name: "Order of pens", template_uuid: "X8b2TpsVuUJTn6fUS3UHFC" },
    },
    templates: {
      modes: ["read", "delete"],
      list: {
        path: "/public/v1/{path}",
        query: { fields: "content_date_modified" },
        pageSize: { to: "query.count", most: 100 },
      },
      changedPath: "date_modified",
      furtherLists: inTrash,
    },
    members: {
      modes: ["read"],
      list: { path: "/public/v1/{path}" },
      paging: { none: true },
      idPath: "membership_id",
      changedPath: "date_modified",
    },
    products: {
      idPath: "uuid",
      list: {
        path: "/public/v2/product-catalog/items/search",
        // Products can be sorted by what changes only. Newest first, what moves meanwhile is found again.
        query: { order_by: "-date_modified" },
        pageSize: { to: "query.per_page", most: 100 },
      },
      records: "items",
      total: "total",
      paging: {
        page: { to: "query.page", first: 1, anySize: true, more: "has_more_items" },
        newestFirst: true,
      },
      changedPath: "date_modified",
      get: { path: "/public/v2/product-catalog/items/{id}" },
      create: { method: "POST", path: "/public/v2/product-catalog/items" },
      update: { method: "PATCH", path: "/public/v2/product-catalog/items/{id}" },
      delete: { method: "DELETE", path: "/public/v2/product-catalog/items/{id}" },
      example: { title: "Pen", price_configuration: { currency: "EUR", price: 3, pricing_method: 0 } },
    },
    "webhook-subscriptions": {
      list: { path: "/public/v1/{path}" },
      paging: { none: true },
      idPath: "uuid",
      records: "items",
      example: { name: "Ink", url: "https://example.com/hook", triggers: ["document_updated"] },
    },
  },
  errors: { message: ["detail", "detail.*.0"], marks: ["type"], code: "type" },
  sources: {
    documentation: "https://developers.pandadoc.com/reference",
    checked:
      "2026-11-27, PandaDoc's OpenAPI file 8.8.0 of 2026-07-16: addresses, bodies, answers, paging, filters; its guide to lists. A document's time of change is that of its state and settings, not of its content; whether a deletion changes it, nobody says. Documents have name, state and times; their recipients, fields and prices are at `/details`, which the proxy calls. The address of accounts in Europe is from other projects. An entry of our own: the published catalog does not have this provider",
  },
};
