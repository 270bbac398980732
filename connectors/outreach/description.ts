/** Outreach's objects, in the form of JSON:API. */
import type { Description } from "../../connector-kit/described/description.ts";

export const description: Description = {
  ids: { number: true },
  defaults: {
    list: { path: "/api/v2/{path}", pageSize: { to: "query.page[size]", most: 1000 } },
    records: "data",
    flatten: "attributes",
    paging: { nextUrl: { from: "links.next" } },
    changedPath: "attributes.updatedAt",
    since: { to: "query.filter[updatedAt]", template: "{since}..inf", query: { sort: "updatedAt" } },
    create: { method: "POST", path: "/api/v2/{path}", wrap: { jsonApi: true } },
    update: { method: "PATCH", path: "/api/v2/{path}/{id}", wrap: { jsonApi: true } },
    delete: { method: "DELETE", path: "/api/v2/{path}/{id}" },
    get: { path: "/api/v2/{path}/{id}", record: "data" },
    record: "data",
  },
  objects: {
    prospects: { singular: "prospect", example: { firstName: "Ada" } },
    accounts: { singular: "account", example: { name: "Quill Ltd" } },
    opportunities: { singular: "opportunity", example: { name: "Pens" } },
    tasks: { singular: "task", example: { note: "Call Ada" } },
  },
  errors: { message: ["errors.*.detail", "errors.*.title"], code: "errors.0.id" },
  limits: { reset: "x-ratelimit-reset" },
  sources: {
    documentation: "https://developers.outreach.io/api/reference",
    checked: "2026-11-22, documentation only",
  },
};
