/** Zoom's meetings and webinars of the connected user, and groups. Updates answer without a body; no record tells when it changed. */
import type { Description } from "../../connector-kit/described/description.ts";

export const description: Description = {
  defaults: {
    list: { path: "/v2/users/me/{path}", pageSize: { to: "query.page_size", most: 300 } },
    records: "{path}",
    paging: { cursor: { from: "next_page_token", to: "query.next_page_token" } },
    total: "total_records",
    since: {},
    create: { method: "POST", path: "/v2/users/me/{path}" },
    update: { method: "PATCH", path: "/v2/{path}/{id}", empty: true },
    delete: { method: "DELETE", path: "/v2/{path}/{id}" },
    get: { path: "/v2/{path}/{id}" },
  },
  objects: {
    meetings: { example: { topic: "Pens" } },
    webinars: { example: { topic: "Ink" } },
    groups: {
      list: { path: "/v2/groups" },
      paging: { none: true },
      create: { method: "POST", path: "/v2/groups" },
      example: { name: "Writers" },
    },
  },
  errors: { message: ["errors.*.message", "message"], code: "code" },
  sources: {
    documentation: "https://developers.zoom.us/docs/api",
    checked: "2026-11-22, documentation: lists of meetings, paging, updates; groups and errors unchecked",
  },
};
