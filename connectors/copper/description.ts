/** Copper's objects. Lists are searches by POST; an update by PUT changes only the fields it names. */
import type { Description } from "../../connector-kit/declarative/rules/description.ts";
import { headerKey } from "../../connector-kit/provider/declare-provider.ts";

export const provider = headerKey("Copper", "https://api.copper.com/developer_api", "X-PW-AccessToken", {
  docs: "https://developer.copper.com/introduction/authentication.html#api-keys",
  declares: ["read", "write", "delete", "search"],
  inputs: [
    {
      name: "userEmail",
      displayName: "User Emails",
      prompt: "The e-mail address of the user who made the API key.",
    },
  ],
  fixedHeaders: [
    { name: "X-PW-UserEmail", valueTemplate: "{{.userEmail}}" },
    { name: "X-PW-Application", valueTemplate: "developer_api" },
  ],
});

/** Without an order most lists are sorted by name, and a record that is renamed moves during a read. */
const buildList = (body: Record<string, boolean>) => ({
  method: "POST" as const,
  path: "/v1/{path}/search",
  query: { custom_field_computed_values: "true" },
  body: { ...body, sort_by: "date_modified" },
  pageSize: { to: "body.page_size", most: 200 },
});

export const description: Description = {
  ids: { number: true },
  defaults: {
    list: buildList({}),
    paging: { page: { to: "body.page_number", first: 1 }, depth: { records: 100_000 } },
    changedPath: "date_modified",
    // A search has the first 100,000 records only, and does not tell that there are more: the next one begins at the time of the last one.
    since: {
      to: "body.minimum_modified_date",
      format: "unix",
      full: "1970-01-01T00:00:00Z",
      keyset: true,
      exclusive: true,
    },
    create: { method: "POST", path: "/v1/{path}" },
    update: { method: "PUT", path: "/v1/{path}/{id}" },
    delete: { method: "DELETE", path: "/v1/{path}/{id}" },
    get: { path: "/v1/{path}/{id}?custom_field_computed_values=true" },
  },
  objects: {
    people: { example: { name: "Ada Quill" } },
    companies: { example: { name: "Quill Ltd" } },
    // Without the flag, leads that were converted are left out.
    leads: { list: buildList({ include_converted_leads: true }), example: { name: "Ada" } },
    opportunities: { example: { name: "Pens" } },
    projects: { example: { name: "Move" } },
    tasks: { example: { name: "Call Ada" } },
  },
  errors: { message: ["message", "error"] },
  sources: {
    documentation: "https://developer.copper.com",
    checked:
      "2026-11-28, Copper’s pages of the six searches, an OpenAPI file by others: the rest; that all lists can be sorted by the time of change, as companies are, clients",
  },
};
