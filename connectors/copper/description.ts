/** Copper's objects. Lists are searches by POST; an update by PUT changes only the fields it names. */
import type { Description } from "../../connector-kit/described/description.ts";

export const description: Description = {
  ids: { number: true },
  defaults: {
    list: { method: "POST", path: "/v1/{path}/search", pageSize: { to: "body.page_size", most: 200 } },
    paging: { page: { to: "body.page_number", first: 1 } },
    changedPath: "date_modified",
    since: { to: "body.minimum_modified_date", format: "unix" },
    create: { method: "POST", path: "/v1/{path}" },
    update: { method: "PUT", path: "/v1/{path}/{id}" },
    delete: { method: "DELETE", path: "/v1/{path}/{id}" },
    get: { path: "/v1/{path}/{id}" },
  },
  objects: {
    people: { example: { name: "Ada Quill" } },
    companies: { example: { name: "Quill Ltd" } },
    leads: { example: { name: "Ada" } },
    opportunities: { example: { name: "Pens" } },
    projects: { example: { name: "Move" } },
    tasks: { example: { name: "Call Ada" } },
  },
  errors: { message: ["message", "error"] },
  sources: { documentation: "https://developer.copper.com", checked: "2026-11-22, documentation only" },
};
