/** Zoom's meetings and webinars of the connected user, and groups. Updates answer without a body; no record tells when it changed. */
import type { Description } from "../../connector-kit/declarative/rules/description.ts";
import { oauth2 } from "../../connector-kit/provider/declare-provider.ts";

export const provider = oauth2("Zoom", "https://api.zoom.us", {
  authorize: "https://zoom.us/oauth/authorize",
  token: "https://zoom.us/oauth/token",
  tokenAuth: "basic",
  tokenFields: { scopesField: "scope" },
  declares: ["read", "write", "delete", "search"],
});

export const description: Description = {
  defaults: {
    list: { path: "/v2/users/me/{path}", pageSize: { to: "query.page_size", most: 300 } },
    records: "{path}",
    paging: { cursor: { from: "next_page_token", to: "query.next_page_token" } },
    total: "total_records",
    create: { method: "POST", path: "/v2/users/me/{path}" },
    update: { method: "PATCH", path: "/v2/{path}/{id}" },
    delete: { method: "DELETE", path: "/v2/{path}/{id}" },
    get: { path: "/v2/{path}/{id}" },
  },
  objects: {
    // Without the type, older descriptions list only meetings that run now. Instant and expired meetings are in no list of this type.
    meetings: {
      idPattern: "[0-9]{1,20}",
      list: {
        path: "/v2/users/me/{path}",
        query: { type: "scheduled" },
        pageSize: { to: "query.page_size", most: 300 },
      },
      example: { topic: "Pens" },
    },
    webinars: { idPattern: "[0-9]{1,20}", example: { topic: "Ink" } },
    groups: {
      // Zoom has no pages here; an answer that names a next one would be read on.
      list: { path: "/v2/groups" },
      create: { method: "POST", path: "/v2/groups" },
      example: { name: "Writers" },
    },
  },
  errors: { message: ["message"], marks: ["code"], code: "code" },
  sources: {
    documentation: "https://developers.zoom.us/docs/api",
    checked:
      "2026-11-28, Zoom's last public description, of 2021-06, and a copy of 2021-08: requests, paging; Zoom's own client of 2026-01: addresses, parameters, members; a published client of 2026: types of meetings",
  },
};
