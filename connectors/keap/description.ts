/** Keap's objects, version 2 of its API. */
import type { Description } from "../../connector-kit/described/description.ts";

export const description: Description = {
  ids: { pattern: "[0-9]{1,20}" },
  defaults: {
    list: { path: "/crm/rest/v2/{path}", pageSize: { to: "query.page_size", most: 1000 } },
    records: "{path}",
    paging: { cursor: { from: "next_page_token", to: "query.page_token" } },
    changedPath: "update_time",
    since: { to: "query.filter", template: "start_update_time=={since}" },
    create: { method: "POST", path: "/crm/rest/v2/{path}" },
    update: { method: "PATCH", path: "/crm/rest/v2/{path}/{id}" },
    delete: { method: "DELETE", path: "/crm/rest/v2/{path}/{id}" },
    get: { path: "/crm/rest/v2/{path}/{id}" },
  },
  objects: {
    contacts: { example: { given_name: "Ada" } },
    companies: { example: { company_name: "Quill Ltd" } },
    tasks: { since: {}, example: { title: "Call Ada" } },
    tags: { since: {}, modes: ["read", "create", "update"], example: { name: "vip" } },
  },
  errors: { message: ["message", "fault.faultstring"], code: "fault.detail.errorcode" },
  sources: {
    documentation: "https://developer.infusionsoft.com/docs/restv2",
    checked: "2026-11-22, documentation only",
  },
};
