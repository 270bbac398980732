/** PandaDoc's contacts, documents, templates and products. Documents are made of templates with recipients, tokens and prices as one body. */
import type { Description } from "../../connector-kit/declarative/rules/description.ts";

export const description: Description = {
  defaults: {
    list: { path: "/public/v1/{path}", pageSize: { to: "query.count", most: 100 } },
    records: "results",
    paging: { page: { to: "query.page", first: 1 } },
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
        query: { order_by: "sku" },
        pageSize: { to: "query.per_page", most: 100 },
      },
      records: "items",
      paging: { page: { to: "query.page", first: 1, more: "has_more_items" } },
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
  errors: { message: ["detail", "detail.*.0"], code: "type" },
  sources: {
    documentation: "https://developers.pandadoc.com/reference",
    checked:
      "2026-11-27, PandaDoc's OpenAPI file 8.8.0 of 2026-07-16: addresses, bodies, answers, paging, filters. Documents have name, state and times; their recipients, fields and prices are at `/details`, which the proxy calls. An entry of our own: the published catalog does not have this provider",
  },
};
