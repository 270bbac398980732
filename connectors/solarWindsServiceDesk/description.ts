/** SolarWinds Service Desk's records. Paths end in .json, and writes are wrapped in the object's name. */
import type { Description } from "../../connector-kit/declarative/rules/description.ts";

export const description: Description = {
  ids: { number: true },
  defaults: {
    list: { path: "/{path}.json", pageSize: { to: "query.per_page", most: 100 } },
    paging: { link: true },
    changedPath: "updated_at",
    create: { method: "POST", path: "/{path}.json", wrap: { in: "{singular}" } },
    update: { method: "PUT", path: "/{path}/{id}.json", wrap: { in: "{singular}" } },
    delete: { method: "DELETE", path: "/{path}/{id}.json" },
    get: { path: "/{path}/{id}.json" },
  },
  objects: {
    incidents: {
      singular: "incident",
      since: { to: "query.updated_from", format: "rfc3339-seconds" },
      example: { name: "Printer" },
    },
    problems: { singular: "problem", example: { name: "Printers" } },
    changes: { singular: "change", example: { name: "New printers" } },
    releases: { singular: "release", example: { name: "Printers 2" } },
    users: { singular: "user", example: { name: "Ada Quill", email: "ada@example.com" } },
    departments: { singular: "department", example: { name: "Sales" } },
    sites: { singular: "site", example: { name: "Berlin" } },
    categories: { singular: "category", example: { name: "Hardware" } },
  },
  errors: { message: ["error.*", "errors.*.*", "error"] },
  sources: {
    documentation: "https://apidoc.samanage.com",
    checked:
      "2026-11-27, documentation, published clients and connectors, by facts.json: paths, wrapping, paging by the Link header, changes of incidents; not errors, nor by what lists are sorted",
  },
};
