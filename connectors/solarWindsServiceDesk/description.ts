/** SolarWinds Service Desk's records. Paths end in .json, and writes are wrapped in the object's name. */
import type { Description, ObjectRules } from "../../connector-kit/declarative/rules/description.ts";
import { headerKey } from "../../connector-kit/provider/declare-provider.ts";

export const provider = headerKey(
  "SolarWinds Service Desk",
  "https://{{.subdomain}}.samanage.com",
  "X-Samanage-Authorization: Bearer ",
  {
    docs: "https://documentation.solarwinds.com/en/success_center/swsd/content/completeguidetoswsd/token-authentication-for-api-integration.htm#link4",
    declares: ["read", "write", "delete", "search"],
    fixedHeaders: [{ name: "Accept", valueTemplate: "application/vnd.samanage.v2.1+json" }],
    inputs: [
      {
        name: "subdomain",
        displayName: "API Subdomain",
        prompt: "Your region: api (United States), apieu (Europe) or apiau (Asia and Pacific).",
        defaultValue: "api",
        docsURL: "https://apidoc.samanage.com/#section/General-Concepts/Service-URL",
      },
    ],
  },
);

const pageSize = { to: "query.per_page", most: 100 };

/** Without the parameter, records lack members, for example the answers to request forms. */
const whole: Pick<ObjectRules, "list" | "get"> = {
  list: { path: "/{path}.json", query: { layout: "long" }, pageSize },
  get: { path: "/{path}/{id}.json?layout=long" },
};

export const description: Description = {
  ids: { number: true },
  defaults: {
    list: { path: "/{path}.json", pageSize },
    // The addresses of the header count pages: a record that is deleted meanwhile would hide another one.
    paging: { page: { to: "query.page", first: 1, anySize: true, next: "header.Link" } },
    changedPath: "updated_at",
    create: { method: "POST", path: "/{path}.json", wrap: { in: "{singular}" } },
    update: { method: "PUT", path: "/{path}/{id}.json", wrap: { in: "{singular}" } },
    delete: { method: "DELETE", path: "/{path}/{id}.json" },
    get: { path: "/{path}/{id}.json" },
  },
  objects: {
    incidents: {
      ...whole,
      singular: "incident",
      since: { to: "query.updated_from", format: "rfc3339-seconds" },
      example: { name: "Printer" },
    },
    problems: { ...whole, singular: "problem", example: { name: "Printers" } },
    changes: { ...whole, singular: "change", example: { name: "New printers" } },
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
      "2026-11-28, documentation, published clients and connectors, by facts.json: paths, wrapping, paging by the Link header, the long layout, changes of incidents; not errors, nor by what lists are sorted",
  },
};
